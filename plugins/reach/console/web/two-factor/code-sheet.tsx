import { Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Sheet } from '../ui/sheet.tsx'
import { CodeField } from './code-field.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

/** Removes the app or makes new recovery codes, both after a code. */
export function CodeSheet({ action, onClose }: { action: 'remove' | 'renew'; onClose(): void }) {
  const [code, setCode] = useState('')
  const [codes, setCodes] = useState<string[]>()
  const isRemoval = action === 'remove'
  const save = async () => {
    const body = { code: code.trim() }
    if (isRemoval) await send(client.DELETE('/auth/totp', { body }))
    else setCodes((await send(client.POST('/auth/totp/recovery-codes', { body }))).recovery_codes)
    await refresh('/auth/totp')
  }
  if (codes)
    return (
      <Sheet title={t('two-factor.codes_title')} onClose={onClose}>
        <RecoveryCodes codes={codes} />
      </Sheet>
    )
  return (
    <Sheet
      title={t(isRemoval ? 'two-factor.remove_title' : 'two-factor.new_codes')}
      onSave={save}
      closesOnSave={isRemoval}
      saveLabel={t(isRemoval ? 'two-factor.remove' : 'two-factor.continue')}
      canSave={code.trim() !== ''}
      onClose={onClose}
    >
      <Text size="sm">{t(isRemoval ? 'two-factor.remove_about' : 'two-factor.new_codes_about')}</Text>
      <CodeField
        isFree
        label={t('two-factor.any_code')}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        data-autofocus
      />
    </Sheet>
  )
}
