import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { PasswordField } from '../sign-in/password-form.tsx'
import { Section } from '../ui/section.tsx'
import { Sheet } from '../ui/sheet.tsx'

/** The password of the account, which can be changed. */
export function Password() {
  const [isChanging, setChanging] = useState(false)
  const [isChanged, setChanged] = useState(false)
  return (
    <Section title={t('sign-in.password')} about={t('account.password_about')}>
      <Button variant="default" w="fit-content" onClick={() => setChanging(true)}>
        {t('sign-in.change_password')}
      </Button>
      <Text size="sm" c="var(--meta)" role="status">
        {isChanged && t('account.password_changed')}
      </Text>
      {isChanging && <ChangePassword onChanged={() => setChanged(true)} onClose={() => setChanging(false)} />}
    </Section>
  )
}

function ChangePassword({ onChanged, onClose }: { onChanged(): void; onClose(): void }) {
  const [old_password, setOld] = useState('')
  const [new_password, setNew] = useState('')
  const save = async () => {
    await send(client.POST('/auth/change-password', { body: { old_password, new_password } }))
    onChanged()
    await refresh('/auth/sessions')
  }
  return (
    <Sheet
      title={t('sign-in.change_password')}
      onSave={save}
      saveLabel={t('sign-in.change_password')}
      canSave={old_password !== '' && new_password.length >= 8}
      onClose={onClose}
    >
      <PasswordField
        label={t('sign-in.old_password')}
        autoComplete="current-password"
        value={old_password}
        onChange={(event) => setOld(event.currentTarget.value)}
        data-autofocus
      />
      <PasswordField
        label={t('sign-in.new_password')}
        description={t('sign-in.password_rules')}
        autoComplete="new-password"
        value={new_password}
        onChange={(event) => setNew(event.currentTarget.value)}
      />
    </Sheet>
  )
}
