import { useLayoutEffect, useState } from 'preact/hooks';

/** The themes. `auto` follows the reader's system. */
const THEMES = [
  ['auto', 'Auto'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

/** Where the browser keeps a chosen theme. */
const KEY = 'segue-theme';

/** Shows the chosen theme, and offers the others. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme);
  // Before the browser paints, so that a stored theme shows at once.
  useLayoutEffect(() => {
    document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  const choose = (chosen: string) => {
    setTheme(chosen);
    store(chosen);
  };
  return (
    <label class="inline">
      Theme
      <select value={theme} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {THEMES.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Returns the theme that was chosen before. A browser may refuse to store anything. */
function storedTheme(): string {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find(([value]) => value === stored)?.[0] ?? 'auto';
  } catch {
    return 'auto';
  }
}

function store(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Then the theme lasts as long as the page.
  }
}
