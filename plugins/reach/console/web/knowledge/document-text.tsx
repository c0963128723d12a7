import { Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { api } from '../server/client.ts'
import { Pending } from '../ui/pending.tsx'
import classes from './documents.module.css'
import { type DocumentPlace, nameOfPlace } from './knowledge.ts'

/** The most characters that are shown before and after a place. */
const MAX_AROUND = 100_000

/** The extracted text of a document, at a place of it if one is passed. */
export default function DocumentText({ documentPlace }: { documentPlace: DocumentPlace }) {
  const { base_id, document_id, locator, passage } = documentPlace
  const { data, error, refetch } = api.useQuery(
    'get',
    '/knowledge-bases/{id}/documents/{doc_id}/text',
    { params: { path: { id: base_id, doc_id: document_id } } },
    { staleTime: 0, gcTime: 0, retry: false },
  )
  const mark = useRef<HTMLElement>(null)
  const text = data?.text
  useEffect(() => {
    if (text !== undefined) mark.current?.scrollIntoView({ block: 'start' })
  }, [text])

  const where = locator && nameOfPlace(locator)
  const { start = 0, end = 0 } = locator ?? {}
  const from = Math.max(0, start - MAX_AROUND)
  const to = end + MAX_AROUND
  return (
    <Stack gap="sm">
      {where && (
        <Text size="sm" c="var(--meta)">
          {where}
        </Text>
      )}
      {text !== undefined ? (
        <div className={classes.text}>
          {from > 0 && '… '}
          {text.slice(from, start)}
          {end > start && <mark ref={mark}>{text.slice(start, end)}</mark>}
          {text.slice(end, to)}
          {to < text.length && ' …'}
        </div>
      ) : error && passage ? (
        <div className={classes.text}>{passage}</div>
      ) : (
        <Pending error={error} refetch={refetch} height={320} />
      )}
    </Stack>
  )
}
