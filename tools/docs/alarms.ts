import { ALARM_POINTS, ALERT_CODES, ALERTS } from '../../lib/contract/alerts.ts';
import { fill } from './fill.ts';
import { table } from './table.ts';

/** Returns the page `docs/alarms.md`. */
export function alarmsPage(): string {
  const rows = ALERT_CODES.map((code) => {
    const { alarm, points } = ALERTS[code];
    return [`[\`${code}\`](#${code})`, alarm, String(Math.ceil(ALARM_POINTS / points))];
  });
  return fill('docs/alarms.md', { alerts: table(['alert', 'alarm', 'lines that start it'], rows) });
}
