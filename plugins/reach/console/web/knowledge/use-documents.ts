import type { InfiniteData } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { components } from '#client'
import { followStream } from '../server/event-stream.ts'
import { useRows } from '../server/pages.ts'
import { queries } from '../server/queries.ts'
import type { Rows } from '../ui/list.tsx'
import type { KnowledgeDocument } from './knowledge.ts'

type Event = components['schemas']['KnowledgeEvent']
type Pages = InfiniteData<{ rows: KnowledgeDocument[] }>

const PATH = '/knowledge-bases/{id}/documents'
/** The time in which several changes have the sums of a base read again once. */
const SUMS_MS = 500

/** The documents of a knowledge base by their paths; the server says when they change. */
export function useDocuments(id: string): Rows<KnowledgeDocument> {
  const documents = useRows(PATH, { path: { id }, query: { limit: 200 } }, { staleTime: 0 })

  useEffect(() => {
    const closing = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const isOfBase = ({ queryKey }: { queryKey: readonly unknown[] }) =>
      queryKey[1] === PATH && JSON.stringify(queryKey[2]).includes(`"${id}"`)
    const readSums = () =>
      void queries.invalidateQueries({
        predicate: ({ queryKey: [, path] }) =>
          path === '/knowledge-bases' || path === '/knowledge-bases/{id}',
      })
    void followStream({
      address: `/api/knowledge-bases/${id}/events`,
      signal: closing.signal,
      readLastId: () => undefined,
      // Earlier changes are not in this stream.
      onOpen: () => void queries.invalidateQueries({ predicate: isOfBase }),
      receive: ({ data }) => {
        const event: Event = JSON.parse(data)
        queries.setQueriesData<Pages>({ predicate: isOfBase }, (pages) => pages && applyEvent(pages, event))
        clearTimeout(timer)
        timer = setTimeout(readSums, SUMS_MS)
      },
    })
    return () => {
      closing.abort()
      clearTimeout(timer)
    }
  }, [id])

  const rows = documents.rows?.toSorted((left, right) => left.path.localeCompare(right.path))
  return { ...documents, rows }
}

/** Puts a document that is new or has changed into the list, or takes a deleted one out. */
function applyEvent(data: Pages, event: Event): Pages {
  const isDeleted = event.type === 'document.deleted'
  const id = isDeleted ? event.id : event.document.id
  const isKnown = data.pages.some(({ rows }) => rows.some((row) => row.id === id))
  const pages = data.pages.map((page, index) => {
    const others = page.rows.filter((row) => row.id !== id)
    const isHere = others.length < page.rows.length || (!isKnown && index === 0)
    return isDeleted || !isHere ? { ...page, rows: others } : { ...page, rows: [...others, event.document] }
  })
  return { ...data, pages }
}
