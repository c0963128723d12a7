import { MultiSelect } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { useIssue } from './issues.tsx'

const KINDS = {
  knowledge_base_ids: { path: '/knowledge-bases', label: 'knowledge.bases' },
  connector_ids: { path: '/connectors', label: 'chat.connectors' },
} as const

interface Props {
  /** The field of a form, which also says which rows are offered. */
  field: keyof typeof KINDS
  description: string
  value: string[]
  onChange(ids: string[]): void
}

/** A choice of knowledge bases or connectors, by their names. */
export function SourceSelect({ field, description, value, onChange }: Props) {
  const { path, label } = KINDS[field]
  const { rows = [] } = useRows(path, { query: { limit: 200 } })
  const error = useIssue(`/${field}`)
  const unknown = value.filter((id) => !rows.some((row) => row.id === id))
  if (rows.length === 0 && value.length === 0) return null
  return (
    <MultiSelect
      label={t(label)}
      description={description}
      // Sources of another owner are shown by their ids: opening the form must not drop them.
      data={[
        ...rows.map(({ id, name }) => ({ value: id, label: name })),
        ...unknown.map((id) => ({ value: id, label: id })),
      ]}
      value={value}
      onChange={onChange}
      error={error}
      searchable
      hidePickedOptions
    />
  )
}
