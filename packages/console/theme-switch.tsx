import { useEffect, useState } from 'preact/hooks';

/** Switches between light and dark. Until then, the page follows the reader's system. */
export function ThemeSwitch() {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  }, [isDark]);
  return (
    <button type="button" aria-pressed={isDark} onClick={() => setDark(!isDark)}>
      Dark
    </button>
  );
}
