import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useDraft } from './draft.ts'
import { Managed, managedFileOf } from './managed.tsx'
import { Pending } from './pending.tsx'
import { Sheet } from './sheet.tsx'

interface Props<Stored, Values extends object> {
  title: string
  /** The id of what is edited. */
  id: string
  /** Reads what is stored now. */
  read(): Promise<Stored>
  valuesOf(stored: Stored): Values
  /** Stores what differs between the values before and after the edit. */
  save(stored: Stored, base: Values, values: Values): Promise<unknown>
  /** True if the values can be stored. */
  isComplete?(values: Values): boolean
  onClose(): void
  children(values: Values, onChange: (changes: Partial<Values>) => void, stored: Stored): ReactNode
}

/** A sheet that changes something, as it is stored now. */
export function EditSheet<Stored, Values extends object>(props: Props<Stored, Values>) {
  const { title, id, read, onClose } = props
  const { data, error, refetch } = useQuery({
    queryKey: ['edit', id],
    queryFn: read,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data !== undefined) return <Editor {...props} stored={data} />
  return (
    <Sheet title={title} onClose={onClose}>
      <Pending error={error} refetch={refetch} height={320} />
    </Sheet>
  )
}

function Editor<Stored, Values extends object>(props: Props<Stored, Values> & { stored: Stored }) {
  const { title, stored, isComplete, onClose } = props
  const { value, base, isDirty, change } = useDraft(props.valuesOf(stored))
  const { data: row } = stored as { data?: unknown }
  return (
    <Sheet
      title={title}
      isDirty={isDirty}
      canSave={isDirty && (isComplete?.(value) ?? true)}
      onSave={managedFileOf(row) === undefined ? () => props.save(stored, base, value) : undefined}
      onClose={onClose}
    >
      <Managed row={row}>{props.children(value, change, stored)}</Managed>
    </Sheet>
  )
}
