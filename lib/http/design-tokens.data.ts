/**
 * The colours, sizes and spaces of every page of Segue, in light and dark: the pages of problems, the frame of the
 * reference, and the console, whose build puts them before its style. A soft colour is the ground of a text in its colour.
 * Every text has a contrast of at least 4.5 on the grounds, and every border of a field one of at least 3.
 */
export const TOKENS = `:root{color-scheme:light dark;
--ground:light-dark(#f5f6f8,#101317);
--surface:light-dark(#fff,#181c22);
--sunken:light-dark(#eceff3,#232932);
--text:light-dark(#1a222d,#e6e9ee);
--quiet:light-dark(#545f6e,#a5aebb);
--line:light-dark(#dce0e6,#2c333d);
--edge:light-dark(#838d9b,#727d8d);
--accent:light-dark(#1d5bb8,#8db6ff);
--accent-strong:light-dark(#174a97,#b3ceff);
--accent-soft:light-dark(#e4edfb,#1b2a44);
--on-accent:light-dark(#fff,#0c1a33);
--ok:light-dark(#17653a,#7fd4a0);
--ok-soft:light-dark(#e0f3e8,#142c1f);
--warning:light-dark(#734a00,#efbf63);
--warning-soft:light-dark(#fcf0d4,#33280e);
--danger:light-dark(#ab231c,#ff9c94);
--danger-soft:light-dark(#fce9e8,#3a1a18);
--small:.8125rem;--body:.9375rem;--large:1.125rem;--title:1.5rem;
--s1:.25rem;--s2:.5rem;--s3:.75rem;--s4:1rem;--s5:1.5rem;--s6:2.5rem;
--radius:.5rem;--bar:3rem;
--sans:system-ui,sans-serif;--mono:ui-monospace,monospace}
`;
