import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { CodeField } from '../two-factor/code-field.tsx'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useHasCode } from './use-has-code.ts'

/** Installs a package of npm. */
export function InstallSheet({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [code, setCode] = useState('')
  const needsCode = useHasCode()
  const install = async () => {
    const body = { package: name.trim(), ...(code && { code }) }
    await send(client.POST('/admin/plugins', { body }))
    await refresh('/admin/plugins')
  }
  return (
    <Sheet
      title={t('plugins.install')}
      isDirty={name !== ''}
      canSave={name.trim() !== '' && (!needsCode || code !== '')}
      saveLabel={t('plugins.install')}
      onSave={install}
      onClose={onClose}
    >
      <Text size="sm">{t('plugins.install_about')}</Text>
      <PackageField value={name} onChange={setName} />
      {needsCode && (
        <CodeField
          isFree
          label={t('plugins.code')}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      )}
    </Sheet>
  )
}

function PackageField({ value, onChange }: { value: string; onChange(value: string): void }) {
  return (
    <TextInput
      label={t('plugins.package')}
      description={t('plugins.package_help')}
      placeholder={t('plugins.package_example')}
      error={useIssue('/package')}
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
    />
  )
}
