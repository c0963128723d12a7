import { createContext } from 'react'
import type { DocumentPlace } from '../../knowledge/knowledge.ts'
import type { Source, Turn } from '../store/thread-view.ts'
import { addNewest } from '../store/thread-view.ts'

/** The sources that the numbers in a text mean; see `findSource`. */
export const SourcesContext = createContext<readonly Source[]>([])

/** The sources of a turn, each once, in the order in which tools named them. */
export const listSources = ({ messages }: Turn): readonly Source[] =>
  addNewest(
    [],
    messages.flatMap(({ sources = [] }) => sources),
    'id',
  )

/** The agent that has written the answer, in whose workspace its links to files are. */
export const AgentContext = createContext<string | undefined>(undefined)

/** The source that a number in a text means: the one that has it, otherwise by its place. */
export function findSource(sources: readonly Source[], number: number): Source | undefined {
  const atPlace = sources[number - 1]
  return (
    sources.find((source) => source.number === number) ??
    (atPlace?.number === undefined ? atPlace : undefined)
  )
}

/** The place in a document of a knowledge base that a source is; undefined for other sources. */
export function placeOf({
  title,
  type,
  knowledge_base_id: base_id,
  document_id,
  filename = title,
  locator,
  text: passage,
}: Source): DocumentPlace | undefined {
  if (type !== 'knowledge' || !base_id || !document_id) return undefined
  return { base_id, document_id, filename, ...(locator && { locator }), passage }
}

/** The address of the web page that a source is, with the place on it; undefined for other sources. */
export function pageOf({ type, url = '' }: Source): URL | undefined {
  if (type !== undefined || !/^https?:/i.test(url) || !URL.canParse(url)) return undefined
  return new URL(url)
}
