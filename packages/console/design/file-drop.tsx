import { useId, useState } from 'preact/hooks';

interface FileDropProps {
  readonly label: string;
  readonly hint: string;
  /** The files that the browser offers, as the attribute `accept` has them. */
  readonly accept: string;
  /** The name of the chosen file. */
  readonly chosen: string | undefined;
  readonly onFile: (file: File) => void;
}

/** A field for a file. The field covers the whole box, so the browser takes a file that is dropped anywhere on it. */
export function FileDrop({ label, hint, accept, chosen, onFile }: FileDropProps) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  // Who sees the name of a file knows what the box is for.
  const said = chosen === undefined ? '' : 'hidden';
  return (
    <div class={`file field ${chosen === undefined ? '' : 'row'}`} data-over={isOver ? '' : undefined}>
      <label for={id} class={said}>
        {label}
      </label>
      {chosen !== undefined && <bdi class="chosen">{chosen}</bdi>}
      <span class="button" aria-hidden="true">
        Choose {chosen === undefined ? 'a' : 'another'} file
      </span>
      <p class={`hint ${said}`} id={`${id}-hint`}>
        {hint}
      </p>
      <input
        id={id}
        type="file"
        accept={accept}
        aria-describedby={`${id}-hint`}
        onDragEnter={() => setOver(true)}
        onDragLeave={() => setOver(false)}
        onDrop={() => setOver(false)}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) onFile(file);
          // Then the same file can be chosen again after a change.
          currentTarget.value = '';
        }}
      />
    </div>
  );
}
