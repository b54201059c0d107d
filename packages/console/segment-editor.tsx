import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { WRITABLE_STATUSES } from '../../lib/contract/translation-status.ts';
import type { TranslatedSegment, Translation } from '../client/index.ts';
import { Dialog } from './design/dialog.tsx';
import { Badge, Notice } from './design/status.tsx';
import { type Draft, draftOf, setDraft, useDrafts } from './drafts.ts';
import { Facts } from './facts.tsx';
import { Failure } from './page.tsx';
import { useClient } from './session.ts';
import { EDITOR_KEYS, editorKeyOf } from './shortcuts.ts';
import { tagDifference } from './text-pieces.ts';
import {
  idOf,
  isReopening,
  type KnownTranslation,
  likelyStatus,
  saveTranslation,
  translationIn,
} from './translation.ts';
import { inLanguage, languageName, text } from './values.ts';
import { WithTags } from './with-tags.tsx';
import { TRANSLATION_STATUSES, TRANSLATION_TONES, toneOf, wordsFor } from './words.ts';

/** A move in the list of segments. */
type Step = 'next' | 'previous';

interface DialogProps {
  readonly projectId: number;
  readonly segment: TranslatedSegment;
  /** Its place in the project, such as `3 of 12`. */
  readonly place: string;
  readonly sourceCode: string | null | undefined;
  /** The language of the translation; `undefined` if the project has none. */
  readonly languageCode: string | undefined;
  readonly onClose: () => void;
  /** Opens another segment; `undefined` if there is none. */
  readonly go: Readonly<Record<Step, (() => void) | undefined>>;
  readonly onSaved: (segmentId: number, translation: Translation) => void;
  /** Somebody else has changed the translation. */
  readonly onChanged: (segment: TranslatedSegment) => void;
}

/** A segment with all its texts. Its translation can be changed. */
export function SegmentDialog({ place, onClose, ...props }: DialogProps) {
  const { segment, sourceCode, languageCode, go } = props;
  const { source } = segment;
  const segmentId = idOf(segment);
  const onKeyDown = (event: KeyboardEvent) => {
    const name = editorKeyOf(event);
    if (name !== 'next' && name !== 'previous') return;
    event.preventDefault();
    go[name]?.();
  };
  return (
    <Dialog
      title={`Segment ${place}${languageCode === undefined ? '' : ` · ${languageName(languageCode)}`}`}
      onClose={onClose}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Its buttons do the same. */}
      <div onKeyDown={onKeyDown}>
        <h3>Source</h3>
        <p class="text" {...inLanguage(sourceCode)}>
          <WithTags content={text(source?.content)} />
        </p>
        <Facts of={[['Notes', given(source?.notes)]]} />
        {segmentId === undefined || languageCode === undefined ? (
          <>
            <p class="text" {...inLanguage(languageCode)}>
              <WithTags content={text(segment.translations?.[0]?.content)} />
            </p>
            <Origin segment={segment} />
            <div class="dialog-actions">
              <Steps go={go} />
            </div>
          </>
        ) : (
          <Editor key={`${segmentId}/${languageCode}`} {...props} segmentId={segmentId} languageCode={languageCode} />
        )}
      </div>
    </Dialog>
  );
}

/** Returns a field of the source, which is left out if it is empty. */
function given(value: unknown) {
  return value === undefined || value === null || value === '' ? undefined : <bdi>{text(value)}</bdi>;
}

/** The task and the custom id of a segment, in one line. */
function Origin({ segment: { source } }: Pick<DialogProps, 'segment'>) {
  const task = given(source?.taskId);
  const customId = given(source?.customId);
  if (!task && !customId) return null;
  return (
    <p class="quiet">
      {task && <>Task: {task}</>}
      {task && customId && ' · '}
      {customId && <>Custom id: {customId}</>}
    </p>
  );
}

/** The ways to the segments before and after. */
function Steps({ go }: Pick<DialogProps, 'go'>) {
  return (
    <span class="toolbar">
      <button type="button" disabled={!go.previous} aria-keyshortcuts="Alt+ArrowUp" onClick={go.previous}>
        Previous
      </button>
      <button type="button" disabled={!go.next} aria-keyshortcuts="Alt+ArrowDown" onClick={go.next}>
        Next
      </button>
    </span>
  );
}

interface EditorProps extends Omit<DialogProps, 'place' | 'onClose'> {
  readonly segmentId: number;
  readonly languageCode: string;
}

/** The field of a translation, with its status. What is not saved stays in memory as a draft. */
function Editor({ projectId, segment, segmentId, languageCode, go, onSaved, onChanged }: EditorProps) {
  const client = useClient();
  useDrafts();
  const place = { projectId, segmentId, languageCode };
  const current = translationIn(segment);
  const draft = draftOf(place) ?? { content: current.content, status: likelyStatus(current), version: current.version };
  const isUnsaved = draftOf(place) !== undefined;
  const { missing, added } = tagDifference(text(segment.source?.content), draft.content);
  const isOvertaken = isUnsaved && draft.version !== current.version;
  const [isBusy, setBusy] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [error, setError] = useState<unknown>();
  const field = useRef<HTMLTextAreaElement>(null);
  const isSending = useRef(false);
  // The Enter that opened the segment may reach the field, which has the focus by then. It is no line of the text.
  const isKeyDown = useRef(false);
  const keyOf = useRequestKey();
  // The field also takes the focus when the button that has it goes.
  const focusField = () => field.current?.focus();
  useEffect(focusField, []);
  const change = (changes: Partial<Draft>) => {
    const next = { ...draft, ...changes };
    const isSame = next.content === current.content && next.status === current.status;
    setSaved(false);
    setDraft(place, isSame && !isOvertaken ? undefined : next);
  };
  const save = async (saved: Draft, then?: () => void) => {
    if (isSending.current) return;
    isSending.current = true;
    setBusy(true);
    setError(undefined);
    // From now on, nothing keeps the text again: the user may sign out meanwhile, which forgets it.
    setDraft(place, saved);
    try {
      const taskId = segment.source?.taskId ?? undefined;
      const reopen = isReopening(saved.status, current);
      const idempotencyKey = keyOf(JSON.stringify([saved, reopen]));
      const result = await saveTranslation(client, { place, draft: saved, reopen, taskId, idempotencyKey });
      if (!result.isSaved) {
        onChanged(result.segment);
        return;
      }
      const typed = draftOf(place);
      setDraft(place, typed && typed !== saved ? { ...typed, version: result.translation.version } : undefined);
      onSaved(segmentId, result.translation);
      setSaved(true);
      // Without its field, the user has left the segment, or the console.
      if (field.current) then?.();
    } catch (failure) {
      setError(failure);
    } finally {
      isSending.current = false;
      setBusy(false);
    }
  };
  const discard = () => {
    setDraft(place, undefined);
    focusField();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    isKeyDown.current = true;
    const name = editorKeyOf(event);
    if (name !== 'save' && name !== 'saveAndNext') return;
    event.preventDefault();
    if (!isOvertaken) void save(draft, name === 'saveAndNext' ? go.next : undefined);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!isOvertaken) void save(draft);
  };
  return (
    <form class="editor-fields" onSubmit={submit} onKeyDown={onKeyDown}>
      <label>
        Translation into {languageName(languageCode)}
        <textarea
          ref={field}
          rows={3}
          {...inLanguage(languageCode)}
          value={draft.content}
          onBeforeInput={(event) => {
            if (event.inputType === 'insertLineBreak' && !isKeyDown.current) event.preventDefault();
          }}
          onInput={({ currentTarget }) => change({ content: currentTarget.value })}
        />
      </label>
      <Standing current={current} isUnsaved={isUnsaved} isSaved={isSaved}>
        <Tags of={missing} are="missing" />
        <Tags of={added} are="not in the source" />
      </Standing>
      <label>
        Status
        <select
          value={draft.status}
          onChange={({ currentTarget: { value } }) => {
            const status = WRITABLE_STATUSES.find((each) => each === value);
            if (status) change({ status });
          }}
        >
          {WRITABLE_STATUSES.map((status) => (
            <option key={status} value={status}>
              {TRANSLATION_STATUSES[status]}
            </option>
          ))}
        </select>
      </label>
      {isReopening(draft.status, current) && (
        <p class="quiet">The translation is more finished now. Saving opens it again.</p>
      )}
      {isOvertaken && (
        <Conflict
          current={current}
          languageCode={languageCode}
          isBusy={isBusy}
          onKeepTheirs={discard}
          onSaveMine={() => save({ ...draft, version: current.version }, focusField)}
        />
      )}
      {error !== undefined && <Failure error={error} />}
      {isUnsaved && !isOvertaken && (
        <button type="button" class="subtle" onClick={discard}>
          Discard my changes
        </button>
      )}
      <Origin segment={segment} />
      <div class="dialog-actions">
        <Steps go={go} />
        {!isOvertaken && (
          <span class="toolbar end">
            <button
              type="submit"
              class={go.next ? undefined : 'main'}
              aria-busy={isBusy}
              aria-keyshortcuts="Control+S"
              title={EDITOR_KEYS.save.key}
            >
              {isBusy ? 'Saving…' : 'Save'}
            </button>
            {go.next && (
              <button
                type="button"
                class="main"
                aria-keyshortcuts="Control+Enter"
                title={EDITOR_KEYS.saveAndNext.key}
                onClick={() => save(draft, go.next)}
              >
                Save and next
              </button>
            )}
          </span>
        )}
      </div>
    </form>
  );
}

/** Whether a status is one that no user gives, so that the field of the status does not show it. */
function isOfEngine(status: KnownTranslation['status']): boolean {
  return status !== 'untranslated' && !WRITABLE_STATUSES.some((writable) => writable === status);
}

interface StandingProps {
  readonly current: KnownTranslation;
  readonly isUnsaved: boolean;
  readonly isSaved: boolean;
  readonly children: ComponentChildren;
}

/** The version of a translation, whether there is something to save, and what to look at before. */
function Standing({ current: { status, version, isOutdated }, isUnsaved, isSaved, children }: StandingProps) {
  return (
    <>
      <div role="status">
        <p class="quiet">
          {version !== undefined && `Version ${version} `}
          {status === 'untranslated' && 'Not translated yet '}
          {isOfEngine(status) && (
            <>
              <StatusBadge status={status} />{' '}
            </>
          )}
          {isUnsaved && <Badge tone="warning">Not saved</Badge>}
          {isSaved && !isUnsaved && <Badge tone="ok">Saved</Badge>}
        </p>
        {children}
      </div>
      {isOutdated && (
        <Notice kind="warning" title="Outdated">
          The source text has changed since this translation. Check it, and save it.
        </Notice>
      )}
    </>
  );
}

/** How many tags and placeholders are named. */
const NAMED = 5;

/** Says which tags and placeholders of a translation differ from those of its source. */
function Tags({ of: tags, are }: { readonly of: readonly string[]; readonly are: string }) {
  if (tags.length === 0) return null;
  return (
    <p class="waits">
      <WithTags content={tags.slice(0, NAMED).join(' ')} /> {tags.length > NAMED && `and ${tags.length - NAMED} more `}
      {tags.length === 1 ? 'is' : 'are'} {are}.
    </p>
  );
}

/** The status of a translation in words. */
export function StatusBadge({ status }: { readonly status: unknown }) {
  const code = text(status);
  return <Badge tone={toneOf(TRANSLATION_TONES, code)}>{wordsFor(TRANSLATION_STATUSES, code)}</Badge>;
}

interface ConflictProps {
  /** The translation of the other person. */
  readonly current: KnownTranslation;
  readonly languageCode: string;
  readonly isBusy: boolean;
  readonly onKeepTheirs: () => void;
  readonly onSaveMine: () => void;
}

/** Shows what somebody else has written, beside the field with the user's own text. */
function Conflict({ current, languageCode, isBusy, onKeepTheirs, onSaveMine }: ConflictProps) {
  return (
    <Notice kind="warning" title="Somebody has changed this translation meanwhile" isLive>
      <p>Nothing was overwritten. Your text is in the field above. This is the translation now:</p>
      <blockquote {...inLanguage(languageCode)}>
        <WithTags content={current.content} />
      </blockquote>
      <p class="quiet">
        Version {text(current.version)} <StatusBadge status={current.status} />
      </p>
      <p class="pager">
        <button type="button" disabled={isBusy} onClick={onKeepTheirs}>
          Keep the other translation
        </button>
        <button type="button" disabled={isBusy} onClick={onSaveMine}>
          Save mine over it
        </button>
      </p>
    </Notice>
  );
}

/** Returns a function that gives the same request the same idempotency key, for as long as the form is open. */
function useRequestKey(): (request: string) => string {
  const last = useRef({ request: '', key: '' });
  return (request) => {
    if (last.current.request !== request) last.current = { request, key: crypto.randomUUID() };
    return last.current.key;
  };
}
