import { formatDay } from '../../i18n/format.ts'
import { listCited } from '../markdown/source-mark.tsx'
import { readText } from '../store/thread-store.ts'
import type { Source, Turn } from '../store/thread-view.ts'
import { listSources, pageOf } from './sources.ts'

/** A page or document with the places on it that are sources. */
export interface SourceGroup {
  key: string
  sources: readonly [Source, ...Source[]]
}

/** The sources of turns by page or document: those that answers cite, and those that agents only saw. */
export interface SourceGroups {
  cited: readonly SourceGroup[]
  uncited: readonly SourceGroup[]
}

/** Groups the sources of turns, or those in `sources`; of a page that is cited only the cited places are listed. */
export function groupSources(
  turns: readonly Turn[],
  sources: readonly Source[] = turns.flatMap(listSources),
): SourceGroups {
  const cited = groupByPage(turns.flatMap(listCitedOf))
  const all = groupByPage(sources)
  const isCited = ({ key }: SourceGroup) => cited.some((group) => group.key === key)
  return { cited, uncited: all.filter((group) => !isCited(group)) }
}

/** Lists the sources that the answer of a turn cites. */
function listCitedOf(turn: Turn): readonly Source[] {
  const answers = turn.messages.filter(({ role }) => role === 'assistant')
  const text = answers.map(({ content }) => readText(content)).join('\n\n')
  return listCited(text, listSources(turn)).toSorted(byNumber)
}

const byNumber = (one: Source, other: Source) => (one.number ?? 0) - (other.number ?? 0)

function groupByPage(sources: readonly Source[]): SourceGroup[] {
  const groups = new Map<string, [Source, ...Source[]]>()
  for (const source of sources) {
    const key = keyOf(source)
    const group = groups.get(key)
    if (!group) groups.set(key, [source])
    else if (!group.some(({ id }) => id === source.id)) group.push(source)
  }
  return [...groups].map(([key, sources]) => ({ key, sources }))
}

/** The same for all places on a page or in a document. */
function keyOf(source: Source): string {
  const page = pageOf(source)
  if (!page) return source.document_id ?? source.id
  return Object.assign(page, { hash: '' }).href
}

/** Describes the origin of a source: the host of a page, a knowledge base or a connector, and the date. */
export function describeSource(source: Source): string {
  const { knowledge_base, connector, published_at } = source
  const origin = knowledge_base ?? connector ?? pageOf(source)?.hostname.replace(/^www\./, '')
  return [origin, published_at !== undefined && formatDay(published_at)].filter(Boolean).join(' · ')
}
