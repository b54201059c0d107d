import { useEffect, useRef } from 'preact/hooks';
import type { DocumentedProject, Project, TranslatedSegment } from '../client/index.ts';
import { pushQuery, replaceQuery, useQuery } from './address.ts';
import { Badge, Empty } from './design/status.tsx';
import { draftOf, useDrafts } from './drafts.ts';
import { LanguageName, LanguageOptions, targetCodesOf } from './languages.tsx';
import { Failure } from './page.tsx';
import { SegmentDialog, StatusBadge } from './segment-editor.tsx';
import { isFiltering, TO_DO, useMatches } from './segment-filter.ts';
import { areSingleKeysOn, isTyping, SINGLE_KEYS, singleKeyOf } from './shortcuts.ts';
import { idOf, isToDo, statusOf } from './translation.ts';
import { type LoadedSegments, useSegments } from './use-segments.ts';
import { count, inLanguage, text } from './values.ts';
import { VirtualList } from './virtual-list.tsx';
import { WithTags } from './with-tags.tsx';
import { TRANSLATION_STATUSES } from './words.ts';

interface SegmentsProps {
  readonly id: number;
  readonly project: Project;
  /** Another one loads the segments again. */
  readonly version: unknown;
}

/**
 * The segments of a project, with their translations into one language at a time. The language, the search and the open
 * segment are in the address of the page.
 */
export function Segments({ id, project, version }: SegmentsProps) {
  const query = useQuery();
  const codes = targetCodesOf(project);
  const languageCode = codes.find((code) => code === query['language']) ?? codes[0];
  const loaded = useSegments(id, languageCode, version);
  const { search = '', status = '', task = '' } = query;
  const filter = { search, status, task };
  const { matches, numberOf, isSearching } = useMatches(loaded.segments, filter);
  useDrafts();
  useListKeys();
  const sourceCode = sourceOf(project);
  const isUnsaved = (segment: TranslatedSegment) => {
    const segmentId = idOf(segment);
    if (segmentId === undefined || languageCode === undefined) return false;
    return draftOf({ projectId: id, segmentId, languageCode }) !== undefined;
  };
  const openId = query['segment'];
  const number = openId ? loaded.segments.findIndex((segment) => openId === String(idOf(segment))) + 1 : 0;
  const open = loaded.segments[number - 1];
  const lastNumber = useRef(0);
  if (open) lastNumber.current = number;
  const show = (segment: TranslatedSegment | undefined) => {
    if (segment) pushQuery({ ...query, segment: String(idOf(segment)) });
  };
  const showToDo = () =>
    show(
      matches.find((segment, index) => numberOf(index) > lastNumber.current && isToDo(segment)) ?? matches.find(isToDo),
    );
  return (
    <section aria-label="Texts">
      <div class="segments-head">
        <search class="filters segments-bar">
          <label class="of-language">
            <span class="label">Translations into</span>
            <select
              value={languageCode}
              onChange={({ currentTarget }) => replaceQuery({ language: currentTarget.value })}
            >
              <LanguageOptions codes={codes} />
            </select>
          </label>
          <label>
            <span class="label">Text or custom id</span>
            <input
              type="search"
              dir="auto"
              placeholder="Search"
              value={filter.search}
              autocomplete="off"
              onInput={({ currentTarget }) => replaceQuery({ search: currentTarget.value })}
            />
          </label>
          <label>
            <span class="label">Status</span>
            <select
              value={filter.status}
              onChange={({ currentTarget }) => replaceQuery({ status: currentTarget.value })}
            >
              <option value="">Any status</option>
              <option value={TO_DO}>To do or to check</option>
              {Object.entries(TRANSLATION_STATUSES).map(([status, name]) => (
                <option key={status} value={status}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <button
            type="button"
            class="main"
            title="The next segment that nobody has translated or checked"
            aria-keyshortcuts={SINGLE_KEYS.toDo.key}
            disabled={!matches.some(isToDo)}
            onClick={showToDo}
          >
            Next to do
          </button>
        </search>
        <p class="toolbar list-state">
          <Loading loaded={loaded} found={isFiltering(filter) ? matches.length : undefined} isSearching={isSearching} />
          {task && (
            <span class="quiet">
              Task: <bdi>{task}</bdi>{' '}
              <button type="button" class="subtle" onClick={() => replaceQuery({ task: undefined })}>
                All tasks
              </button>
            </span>
          )}
        </p>
        <p class="segment columns-head">
          <span>No.</span>
          <span dir={inLanguage(sourceCode).dir}>
            <LanguageName code={text(sourceCode)} />
          </span>
          <span dir={inLanguage(languageCode).dir}>
            <LanguageName code={text(languageCode)} />
          </span>
          <span>Status</span>
        </p>
      </div>
      {loaded.error !== undefined && <Failure error={loaded.error} />}
      <VirtualList
        label="Segments"
        count={matches.length}
        row={(index) => {
          const segment = matches[index];
          return (
            segment && (
              <Row
                number={numberOf(index)}
                segment={segment}
                sourceCode={sourceCode}
                languageCode={languageCode}
                isUnsaved={isUnsaved(segment)}
                onOpen={() => show(segment)}
              />
            )
          );
        }}
      />
      {matches.length === 0 && isFiltering(filter) && loaded.state === 'complete' && !isSearching && (
        <Empty title="No segment fits the search and all filters." />
      )}
      {open && (
        <Opened
          key="opened"
          projectId={id}
          segment={open}
          place={`${count(number)} of ${count(loaded.segments.length)}`}
          sourceCode={sourceCode}
          languageCode={languageCode}
          matches={matches}
          loaded={loaded}
        />
      )}
    </section>
  );
}

interface LoadingProps {
  readonly loaded: LoadedSegments;
  /** The number of segments that the filter shows; `undefined` without a filter. */
  readonly found: number | undefined;
  readonly isSearching: boolean;
}

/** Says how many segments are loaded and found. Loading can be stopped, and started again. */
function Loading({ loaded: { segments, state, loadAgain, stop }, found, isSearching }: LoadingProps) {
  const all = `${count(segments.length)} ${segments.length === 1 ? 'segment' : 'segments'}`;
  return (
    <>
      <span class="quiet" role="status">
        {found === undefined ? all : `${count(found)} of ${all}`}
        {state === 'loading' && ', loading…'}
        {state === 'stopped' && ', not all'}
        {isSearching && ', searching…'}
      </span>
      {state === 'loading' ? (
        <button type="button" class="subtle" onClick={stop}>
          Stop
        </button>
      ) : (
        <button type="button" class="subtle" onClick={loadAgain}>
          Load again
        </button>
      )}
    </>
  );
}

interface OpenedProps {
  readonly projectId: number;
  readonly segment: TranslatedSegment;
  /** Its place in the project, such as `3 of 12`. */
  readonly place: string;
  readonly sourceCode: Code;
  readonly languageCode: string | undefined;
  readonly matches: readonly TranslatedSegment[];
  readonly loaded: LoadedSegments;
}

/** The open segment, from which a user goes to the others that the list shows. */
function Opened({ matches, loaded, ...props }: OpenedProps) {
  const found = matches.indexOf(props.segment);
  // A saved translation may not match the filter any more. The next segment then has its place.
  const place = useRef(found);
  if (found >= 0) place.current = found;
  const goTo = (segment: TranslatedSegment | undefined) => {
    const id = segment && idOf(segment);
    return id === undefined ? undefined : () => replaceQuery({ segment: String(id) });
  };
  return (
    <SegmentDialog
      {...props}
      go={{
        previous: goTo(matches[place.current - 1]),
        next: goTo(matches[found >= 0 ? found + 1 : place.current]),
      }}
      onClose={() => replaceQuery({ segment: undefined })}
      onSaved={loaded.update}
      onChanged={loaded.replace}
    />
  );
}

/** Moves the focus in the list with single keys, and opens the next segment to do. */
function useListKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const name = isTyping(event.target) || !areSingleKeysOn() ? undefined : singleKeyOf(event);
      if (name === 'toDo') document.querySelector<HTMLElement>('.segments-bar > button')?.click();
      if (name !== 'next' && name !== 'previous') return;
      const row = document.activeElement?.closest('li[aria-posinset]');
      const place = Number(row?.getAttribute('aria-posinset') ?? 0) + (name === 'next' ? 1 : -1);
      document.querySelector<HTMLElement>(`.list li[aria-posinset="${row ? place : 1}"] .segment button`)?.focus();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

function sourceOf(project: Project): DocumentedProject['sourceLanguageCode'] {
  const code = project['sourceLanguageCode'];
  return typeof code === 'string' ? code : undefined;
}

interface RowProps {
  /** The number of the segment in the project, from 1. */
  readonly number: number;
  readonly segment: TranslatedSegment;
  readonly sourceCode: Code;
  readonly languageCode: Code;
  readonly isUnsaved: boolean;
  readonly onOpen: () => void;
}

/** A segment with its whole texts. A click anywhere on it opens it. */
function Row({ number, segment, sourceCode, languageCode, isUnsaved, onOpen }: RowProps) {
  return (
    <div class="segment">
      <span class="number">{count(number)}</span>
      <Texts segment={segment} sourceCode={sourceCode} languageCode={languageCode} />
      <span class="actions">
        <StatusBadge status={statusOf(segment)} />
        {segment.translations?.[0]?.outdated === true && <Badge tone="warning">Outdated</Badge>}
        {isUnsaved && <Badge tone="warning">Not saved</Badge>}
        <button type="button" class="subtle opens-row" aria-label={`Edit segment ${count(number)}`} onClick={onOpen}>
          Edit
        </button>
      </span>
    </div>
  );
}

function Texts({ segment, sourceCode, languageCode }: Pick<RowProps, 'segment' | 'sourceCode' | 'languageCode'>) {
  const [translation] = segment.translations ?? [];
  return (
    <>
      <span class="text source" {...inLanguage(sourceCode)}>
        <WithTags content={text(segment.source?.content)} />
      </span>
      {translation?.content ? (
        <span class="text" {...inLanguage(translation.languageCode)}>
          <WithTags content={translation.content} />
        </span>
      ) : (
        <span class="quiet" dir={inLanguage(languageCode).dir}>
          {statusOf(segment) === 'untranslated' ? '–' : 'Empty'}
        </span>
      )}
    </>
  );
}

type Code = string | null | undefined;
