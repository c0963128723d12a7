import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { addAddress } from './knowledge.ts'
import { RefetchField } from './refetch-field.tsx'

/** Adds the page or file at a web address. */
export function AddressSheet({ base_id, onClose }: { base_id: string; onClose(): void }) {
  const [url, setUrl] = useState('')
  const [days, setDays] = useState<number | null>(null)
  const add = async () => {
    await addAddress(base_id, { url: url.trim(), refetch_days: days })
    await refresh('/knowledge-bases')
  }
  return (
    <Sheet
      title={t('knowledge.add_address')}
      isDirty={url !== '' || days !== null}
      canSave={url.trim() !== ''}
      onSave={add}
      saveLabel={t('forms.add')}
      onClose={onClose}
    >
      <Field url={url} onChange={setUrl} />
      <RefetchField days={days} onChange={setDays} />
    </Sheet>
  )
}

function Field({ url, onChange }: { url: string; onChange(url: string): void }) {
  return (
    <TextInput
      type="url"
      label={t('knowledge.address')}
      description={t('knowledge.address_help')}
      placeholder="https://example.com/handbook"
      error={useIssue('/url')}
      value={url}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      data-autofocus
    />
  )
}
