import { Checkbox, Code, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import type { Scope } from './scopes.ts'

const DAYS = [30, 90, 365]

/** Creates a key, and then shows it: the only time that it can be read. */
export function CreateApiKey({ scopes, onClose }: { scopes: Scope[]; onClose(): void }) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState(['chat'])
  const [days, setDays] = useState('90')
  const [key, setKey] = useState<string>()

  const create = async () => {
    const body = { name, scopes: chosen, ...(days && { expires_in_days: Number(days) }) }
    const created = await send(client.POST('/auth/api-keys', { body }))
    setKey(created.key)
    await refresh('/auth/api-keys', '/auth/me')
  }
  if (key !== undefined)
    return (
      <Sheet title={t('account.key_created')} onClose={onClose}>
        <Text size="sm">{t('account.key_created_about')}</Text>
        <Group gap="xs" wrap="nowrap">
          <Code fz="sm" p="sm" style={{ overflowWrap: 'anywhere' }}>
            {key}
          </Code>
          <CopyButton text={key} />
        </Group>
      </Sheet>
    )
  return (
    <Sheet
      title={t('account.create_key')}
      isDirty={name !== ''}
      onSave={create}
      closesOnSave={false}
      saveLabel={t('account.create')}
      canSave={name.trim() !== '' && chosen.length > 0}
      onClose={onClose}
    >
      <Name value={name} onChange={setName} />
      <Checkbox.Group label={t('account.key_scopes')} value={chosen} onChange={setChosen}>
        <Stack gap="md" mt="sm">
          {scopes.map(({ key, label, help }) => (
            <Checkbox key={key} value={key} label={label} description={help} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        label={t('account.key_expiry')}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={[
          ...DAYS.map((count) => ({ value: String(count), label: t('account.days', { count }) })),
          { value: '', label: t('account.never') },
        ]}
      />
    </Sheet>
  )
}

const Name = ({ value, onChange }: { value: string; onChange(value: string): void }) => (
  <TextInput
    label={t('account.key_name')}
    description={t('account.key_name_help')}
    maxLength={64}
    required
    withAsterisk={false}
    value={value}
    error={useIssue('/name')}
    onChange={(event) => onChange(event.currentTarget.value)}
    data-autofocus
  />
)
