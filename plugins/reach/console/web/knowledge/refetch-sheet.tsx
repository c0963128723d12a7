import { useState } from 'react'
import { Sheet } from '../ui/sheet.tsx'
import { changeRefetch, type KnowledgeDocument } from './knowledge.ts'
import { RefetchField } from './refetch-field.tsx'

interface Props {
  base_id: string
  document: KnowledgeDocument
  onSaved(): void
  onClose(): void
}

/** Changes when a document is fetched again. */
export function RefetchSheet({ base_id, document, onSaved, onClose }: Props) {
  const stored = document.refetch_days ?? null
  const [days, setDays] = useState(stored)
  const isDirty = days !== stored
  return (
    <Sheet
      title={document.path}
      isDirty={isDirty}
      canSave={isDirty}
      onSave={() => changeRefetch(base_id, document, days).then(onSaved)}
      onClose={onClose}
    >
      <RefetchField days={days} onChange={setDays} />
    </Sheet>
  )
}
