import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** The number of rows above and below the visible ones. */
const EXTRA_ROWS = 5;
/** The height of the list in CSS pixels. The style sheet has the same. */
const LIST_PX = 560;

/** A list that has only the visible rows in the document. Every row has the same height. */
export function VirtualList({
  label,
  count,
  rowPx,
  row,
}: {
  readonly label: string;
  readonly count: number;
  readonly rowPx: number;
  readonly row: (index: number) => ComponentChildren;
}) {
  const [first, setFirst] = useState(0);
  const start = Math.max(0, first - EXTRA_ROWS);
  const end = Math.min(count, first + Math.ceil(LIST_PX / rowPx) + EXTRA_ROWS);
  const indexes = Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset);
  return (
    <section
      class="list"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: A keyboard can scroll only what takes the focus.
      tabIndex={0}
      aria-label={`${label}, scrollable`}
      onScroll={({ currentTarget }) => setFirst(Math.floor(currentTarget.scrollTop / rowPx))}
    >
      <ul aria-label={label} style={{ height: `${count * rowPx}px` }}>
        {indexes.map((index) => (
          <li
            key={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${index * rowPx}px)`, height: `${rowPx}px` }}
          >
            {row(index)}
          </li>
        ))}
      </ul>
    </section>
  );
}
