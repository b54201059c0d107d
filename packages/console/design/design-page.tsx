import { type ComponentChildren, render } from 'preact';
import { useState } from 'preact/hooks';
import { Facts } from '../facts.tsx';
import { PageHead } from '../page.tsx';
import { Dialog } from './dialog.tsx';
import { Field, Tabs } from './fields.tsx';
import { FileDrop } from './file-drop.tsx';
import { Badge, Bar, Empty, Notice, type Tone } from './status.tsx';

/**
 * Shows the parts of the console's look, each with its name in the code. `#/design` opens it, and no page links to it.
 *
 * - A part with a state or with labels is a component in this folder: `Badge`, `Bar`, `Notice`, `Empty`, `Dialog`,
 *   `Field`, `Tabs`, `FileDrop`. The heading of a page is `Heading` or `PageHead`, and a list of facts is `Facts`.
 * - Everything else is a class of the style sheets beside this file: the buttons `main`, `danger` and `subtle`, the rows
 *   `toolbar`, `filters` and `split`, the boxes `panel`, `cards` and `table`, and the texts `name`, `quiet` and `command`.
 * - Colours, sizes and spaces come from `lib/http/design-tokens.data.ts`, which every page of Segue shares. A style names
 *   the sides of a text (`inline-start`), not those of the screen (`left`), so that it also fits scripts from right to left.
 */
export function showDesignPage(element: Element): void {
  render(<DesignPage />, element);
}

function DesignPage() {
  return (
    <>
      <PageHead title="Design">
        <button type="button">Second step</button>
        <button type="button" class="main">
          Main step
        </button>
      </PageHead>
      <p>All parts of the console, each with its name in the code.</p>
      <Colours />
      <Texts />
      <Buttons />
      <Fields />
      <States />
      <Lists />
      <Dialogs />
    </>
  );
}

function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

const COLOURS = [
  ...['ground', 'surface', 'sunken', 'text', 'quiet', 'line', 'edge', 'accent', 'accent-strong', 'accent-soft'],
  ...['on-accent', 'ok', 'ok-soft', 'warning', 'warning-soft', 'danger', 'danger-soft'],
] as const;
const SPACES = ['s1', 's2', 's3', 's4', 's5', 's6'] as const;

function Colours() {
  return (
    <Part name="Colours and spaces">
      <ul class="chips swatches" aria-label="Colours">
        {COLOURS.map((name) => (
          <li key={name}>
            <span class="swatch" style={{ background: `var(--${name})` }} />
            <code>--{name}</code>
          </li>
        ))}
        {SPACES.map((name) => (
          <li key={name}>
            <span class="space" style={{ inlineSize: `var(--${name})` }} />
            <code>--{name}</code>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Texts() {
  return (
    <Part name="Texts">
      <div class="panel">
        <h3>A heading inside a part, and a paragraph</h3>
        <p>
          A text with a <a href="#/design">link to a page</a>, some <code>code</code>, and keys: press <kbd>Ctrl</kbd>{' '}
          <kbd>K</kbd>.
        </p>
        <p class="name">name: what a row is called</p>
        <p class="quiet">quiet: what matters less</p>
        <p>
          <code class="command">segue projects list</code>
        </p>
        <pre>A block of code, with as many lines as fit on the page.</pre>
        <p lang="ar" dir="rtl">
          نص من اليمين إلى اليسار
        </p>
      </div>
    </Part>
  );
}

function Buttons() {
  const [isPressed, setPressed] = useState(true);
  return (
    <Part name="Buttons">
      <div class="toolbar">
        <button type="button">Plain</button>
        <button type="button" class="main">
          main
        </button>
        <button type="button" class="danger">
          danger
        </button>
        <button type="button" class="subtle">
          subtle
        </button>
        <button type="button" aria-pressed={isPressed} onClick={() => setPressed(!isPressed)}>
          Pressed
        </button>
        <button type="button" disabled>
          Disabled
        </button>
        <button type="button" class="main" disabled aria-busy>
          Busy
        </button>
        <a class="button end" href="#/design">
          A link as a button
        </a>
      </div>
    </Part>
  );
}

const FILTERS = [
  ['all', 'All'],
  ['open', 'Open'],
  ['done', 'Done'],
] as const;

function Fields() {
  const [filter, setFilter] = useState<(typeof FILTERS)[number][0]>('all');
  const [file, setFile] = useState<File>();
  return (
    <Part name="Fields">
      <div class="form">
        <Field label="Field" hint="A hint says what to enter.">
          {(input) => <input {...input} />}
        </Field>
        <Field label="Field with a fault" fault="Enter a number from 1 to 1,000.">
          {(input) => <input {...input} value="many" />}
        </Field>
        <Field label="Choice">
          {(input) => (
            <select {...input}>
              <option>First</option>
              <option>Second</option>
            </select>
          )}
        </Field>
        <Field label="Long text">{(input) => <textarea {...input} />}</Field>
        <label class="check">
          <input type="checkbox" />A box to check
        </label>
        <Field label="Disabled">{(input) => <input {...input} disabled value="Nobody can change this" />}</Field>
        <Tabs label="Filter" options={FILTERS} value={filter} onChange={setFilter} />
        <FileDrop
          label="File"
          hint="Drop a file here, or select this field to choose one."
          accept=".json"
          chosen={file?.name}
          onFile={setFile}
        />
      </div>
      <h3>filters: fields above a list</h3>
      <div class="filters">
        <label>
          Custom id begins with
          <input />
        </label>
        <label>
          Due before
          <input type="date" />
        </label>
        <button type="button">Filter</button>
      </div>
    </Part>
  );
}

const TONES: readonly Tone[] = ['plain', 'info', 'ok', 'warning', 'fault'];

function States() {
  return (
    <Part name="States">
      <p class="toolbar">
        {TONES.map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
      </p>
      <p class="toolbar">
        <Bar value={40}>40%</Bar>
        <Bar value={100}>100%</Bar>
        <Bar value={20} max={20} full="warning">
          20 of 20 today
        </Bar>
      </p>
      <Notice kind="info">The project is valid: 3 segments in 2 languages.</Notice>
      <Notice kind="ok">The delivery is open again.</Notice>
      <Notice kind="warning" title="The project has changed since">
        <p>Redriving may create it again.</p>
      </Notice>
      <Notice kind="fault" title="The key lacks a scope">
        <p>Ask the operator of Segue for a key with this scope, and sign in with it.</p>
      </Notice>
      <Empty title="No projects.">
        <p>A project has texts in one language, and the languages into which they are translated.</p>
        <a href="#/design">Create a project from a file</a>
      </Empty>
    </Part>
  );
}

function Lists() {
  return (
    <Part name="Lists">
      <h3>Facts</h3>
      <Facts
        of={[
          ['Custom id', 'spring-catalogue'],
          ['State', <Badge tone="ok">Done</Badge>],
          ['Description', 'A longer text, which uses the whole width of its column, and as many lines as it needs.'],
        ]}
      />
      <h3>cards, with split rows</h3>
      <ul class="cards">
        {['Spring catalogue', 'كتالوج الربيع'].map((name) => (
          <li key={name}>
            <span class="split">
              <bdi class="name">{name}</bdi>
              <span class="quiet">Due 31 Dec 2099</span>
            </span>
            <Bar value={63}>63%</Bar>
          </li>
        ))}
      </ul>
      <h3>table</h3>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Language</th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Segments
              </th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <td>German (Germany)</td>
              <td>
                <Badge tone="info">In progress</Badge>
              </td>
              <td class="number">1,204</td>
            </tr>
            <tr>
              <td>Arabic</td>
              <td>
                <Badge tone="ok">Done</Badge>
              </td>
              <td class="number">87</td>
            </tr>
          </tbody>
        </table>
      </div>
    </Part>
  );
}

function Dialogs() {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <Part name="Dialog">
      <button type="button" onClick={() => setOpen(true)}>
        Open a dialog
      </button>
      {isOpen && (
        <Dialog
          title="A dialog"
          onClose={close}
          actions={
            <>
              <button type="button" onClick={close}>
                Cancel
              </button>
              <button type="button" class="main" onClick={close}>
                Save
              </button>
            </>
          }
        >
          <Field label="Name">{(input) => <input {...input} />}</Field>
        </Dialog>
      )}
    </Part>
  );
}
