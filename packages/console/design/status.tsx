import type { ComponentChildren } from 'preact';

/** How much a badge or a notice matters. */
export type Tone = 'plain' | 'info' | 'ok' | 'warning' | 'fault';

/** A state in one or two words. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

interface BarProps {
  readonly value: number;
  readonly max?: number;
  /** What a full bar is: something done, or a limit that is reached. */
  readonly full?: 'ok' | 'warning';
  /** What the bar says, in words. A screen reader reads only this. */
  readonly children: ComponentChildren;
}

/** A bar with its words. A full bar has another colour. */
export function Bar({ value, max = 100, full = 'ok', children }: BarProps) {
  return (
    <span class="bar">
      <progress max={max} value={value} data-full={value >= max ? full : undefined} aria-hidden="true" />
      <span>{children}</span>
    </span>
  );
}

interface NoticeProps {
  readonly kind: Exclude<Tone, 'plain'>;
  readonly title?: string | undefined;
  /** Whether the notice appears after the page, so that a screen reader has to say it. */
  readonly isLive?: boolean;
  readonly children?: ComponentChildren;
}

/** Says what happened, or what may happen, and what to do next. */
export function Notice({ kind, title, isLive = false, children }: NoticeProps) {
  const role = kind === 'fault' || kind === 'warning' ? 'alert' : 'status';
  return (
    <div class="notice" data-kind={kind} role={isLive ? role : undefined}>
      {title !== undefined && <strong>{title}</strong>}
      {children}
    </div>
  );
}

/** Stands in the place of a list without rows. The children say how to get one. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}
