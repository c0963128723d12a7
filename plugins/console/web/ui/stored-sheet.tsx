import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from './failure.tsx'
import { Loading } from './loading.tsx'
import { Sheet } from './sheet.tsx'

interface Props<Row, Kind> {
  row: Row
  /** The kinds of such rows; undefined until they are read. */
  kinds: Kind[] | undefined
  /** Shown if the kind of the row is not one of them. */
  gone: string
  /** Reads the row as it is stored now. */
  read(): Promise<{ data: Row; tag: string | null }>
  onClose(): void
  /** Shows the editor. */
  children(loaded: { stored: Row; tag: string | null; kind: Kind }): ReactNode
}

/** Shows the editor of a row of some kind once the row, as it is stored now, and its kind are read. */
export function StoredSheet<
  Row extends { id: string; name: string; kind: string },
  Kind extends { kind: string },
>({ row, kinds, gone, read, onClose, children }: Props<Row, Kind>) {
  const { data, error, refetch } = useQuery({
    queryKey: ['edit', row.id],
    queryFn: read,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const kind = kinds?.find(({ kind }) => kind === row.kind)
  if (data && kind) return children({ stored: data.data, tag: data.tag, kind })
  return (
    <Sheet title={row.name} onClose={onClose}>
      {error ? <Failure error={error} onRetry={refetch} /> : kinds && !kind ? gone : <Loading height={240} />}
    </Sheet>
  )
}
