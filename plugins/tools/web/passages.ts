import type { DocumentSegment } from '../documents/stored-text.ts'

/** A part of a text that is cited by itself. */
export interface Passage {
  text: string
  /** The headings of the passage and above it, the highest one first. */
  headings: readonly string[]
  page?: number
  /** The place on a web page, if its words are found there first. */
  anchor?: DocumentSegment['anchor']
}

/** The most text that one call shows, in bytes of UTF-8. */
export const MAX_PART_BYTES = 48 * 1024
/** The most passages that one call shows, because each is a source of the answer. */
const MAX_PART_PASSAGES = 40
/** The longest passage of a web page, and of a document, in characters. */
const MAX_PASSAGE_CHARS = 1200
const MAX_DOCUMENT_CHARS = 12_000
/** A shorter section of a page is shown with the next one. */
const MIN_SECTION_CHARS = 200
/** Parts a path of headings. */
const HEADING_SEPARATOR = ' › '

/** Parts a web page into passages: sections, or groups of their paragraphs. */
export const toPagePassages = (segments: AsyncIterable<DocumentSegment>): Promise<Passage[]> =>
  group(segments, {
    max: MAX_PASSAGE_CHARS,
    isApart: ([{ kind }], { length }) => kind === 'heading' && length >= MIN_SECTION_CHARS,
  })

/** Parts a document into passages: its pages, if it has some. */
export const toDocumentPassages = (segments: AsyncIterable<DocumentSegment>): Promise<Passage[]> =>
  group(segments, { max: MAX_DOCUMENT_CHARS, isApart: ([{ page }], passage) => page !== passage.page })

/** A segment with the headings just above it. */
type Section = [DocumentSegment, ...DocumentSegment[]]

async function group(
  segments: AsyncIterable<DocumentSegment>,
  {
    max,
    isApart,
  }: { max: number; isApart: (section: Section, passage: Passage & { length: number }) => boolean },
): Promise<Passage[]> {
  const passages: Passage[] = []
  let open: (Passage & { length: number; texts: string[] }) | undefined
  const close = () => {
    if (!open) return
    const { texts, length, ...passage } = open
    passages.push({ ...passage, text: texts.join('') })
  }
  for await (const section of toSections(cutLong(segments, max), max)) {
    const length = lengthOf(section)
    if (!open || open.length + length > max || isApart(section, open)) {
      close()
      const [{ heading, page }] = section
      open = { text: '', headings: heading?.split(HEADING_SEPARATOR) ?? [], page, length: 0, texts: [] }
    }
    for (const { gap, text } of section) open.texts.push(open.texts.length > 0 ? gap + text : text)
    open.length += length
    open.anchor ??= section.find(({ anchor }) => anchor)?.anchor
  }
  close()
  return passages
}

const lengthOf = (section: readonly DocumentSegment[]) =>
  section.reduce((sum, { gap, text }) => sum + gap.length + text.length, 0)

async function* cutLong(
  segments: AsyncIterable<DocumentSegment>,
  max: number,
): AsyncGenerator<DocumentSegment> {
  for await (const segment of segments)
    for (let tail = segment.text, gap = segment.gap; tail !== ''; gap = '') {
      const text = tail.length > max ? tail.slice(0, tail.lastIndexOf(' ', max) + 1 || max) : tail
      yield { ...segment, gap, text }
      tail = tail.slice(text.length)
    }
}

/** Yields each segment with the headings above it, if they fit into a passage together. */
async function* toSections(segments: AsyncIterable<DocumentSegment>, max: number): AsyncGenerator<Section> {
  let headings: DocumentSegment[] = []
  for await (const segment of segments) {
    const section = [...headings, segment] as DocumentSegment[] as Section
    const isHeading = segment.kind === 'heading' && lengthOf(section) < max
    headings = isHeading ? section : []
    if (!isHeading) yield section
  }
  if (headings.length > 0) yield headings as Section
}

/** Parts a plain text at the ends of lines, or between characters, into passages of as much as one call shows. */
export function toTextPassages(text: string): Passage[] {
  const passages: Passage[] = []
  for (let start = 0; start < text.length; ) {
    const most = cutBytes(text.slice(start, start + MAX_PART_BYTES))
    const lineEnd = start + most.length < text.length ? most.lastIndexOf('\n') + 1 : 0
    const part = lineEnd > most.length / 2 ? most.slice(0, lineEnd) : most
    passages.push({ text: part, headings: [] })
    start += part.length
  }
  return passages
}

/** Returns the beginning of a text that one call may show, cut between characters. */
function cutBytes(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_PART_BYTES) return text
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, MAX_PART_BYTES), {
    stream: true,
  })
}

/** Returns the passages of each call in turn. */
export function toParts(passages: readonly Passage[]): Passage[][] {
  const parts: Passage[][] = []
  let bytes = 0
  for (const passage of passages) {
    const size = Buffer.byteLength(passage.text)
    const part = parts.at(-1)
    if (part && part.length < MAX_PART_PASSAGES && bytes + size <= MAX_PART_BYTES) {
      part.push(passage)
      bytes += size
    } else {
      parts.push([passage])
      bytes = size
    }
  }
  return parts
}
