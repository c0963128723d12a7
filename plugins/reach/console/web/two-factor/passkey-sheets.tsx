import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { describeDevice } from '../account/device.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { readFailure } from '../server/failure.ts'
import { refresh, send } from '../server/send.ts'
import { PasswordField } from '../sign-in/password-form.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { createPasskey } from './browser.ts'

type Passkey = components['schemas']['Passkey']

/** Asks for the password once the server wants it. */
function usePresence() {
  const [isAsking, setAsking] = useState(false)
  const [password, setPassword] = useState('')
  return {
    /** The body of a call that needs the user's presence. */
    body: isAsking ? { password } : {},
    field: isAsking && (
      <PasswordField
        label={t('sign-in.password')}
        autoComplete="current-password"
        withAsterisk={false}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        data-autofocus
      />
    ),
    note(error: unknown): never {
      if (readFailure(error).code === 'RECENT_SIGN_IN_REQUIRED') setAsking(true)
      throw error
    },
  }
}

/** Adds a passkey, or renames one. */
export function EditPasskey({ passkey, onClose }: { passkey: Passkey | undefined; onClose(): void }) {
  const [name, setName] = useState(() => passkey?.name ?? describeDevice(navigator.userAgent))
  const presence = usePresence()
  const add = async () => {
    const options = await send(client.POST('/auth/passkeys/options', { body: presence.body })).catch(
      presence.note,
    )
    const attestation = await createPasskey(options)
    // The standard leaves open which transports there are.
    await send(client.POST('/auth/passkeys', { body: { name, attestation: attestation as never } }))
  }
  const rename = ({ id }: Passkey) =>
    send(client.PATCH('/auth/passkeys/{id}', { params: { path: { id } }, body: { name } }))
  const save = async () => {
    await (passkey ? rename(passkey) : add())
    await refresh('/auth/passkeys')
  }
  return (
    <Sheet
      title={t(passkey ? 'two-factor.rename_title' : 'two-factor.add_passkey')}
      onSave={save}
      saveLabel={t(passkey ? 'common.save' : 'two-factor.continue')}
      canSave={name.trim() !== ''}
      onClose={onClose}
    >
      <Name value={name} onChange={setName} />
      {presence.field}
    </Sheet>
  )
}

const Name = ({ value, onChange }: { value: string; onChange(value: string): void }) => (
  <TextInput
    label={t('two-factor.passkey_name')}
    description={t('two-factor.passkey_name_help')}
    maxLength={64}
    value={value}
    error={useIssue('/name')}
    onChange={(event) => onChange(event.currentTarget.value)}
    data-autofocus
  />
)

/** Deletes a passkey after a confirmation. */
export function DeletePasskey({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose(): void }) {
  const presence = usePresence()
  const remove = async () => {
    const params = { path: { id } }
    await send(client.DELETE('/auth/passkeys/{id}', { params, body: presence.body })).catch(presence.note)
    await refresh('/auth/passkeys')
  }
  return (
    <Confirm
      title={t('two-factor.delete_title', { name })}
      action={t('common.delete')}
      onConfirm={remove}
      onClose={onClose}
    >
      <Stack gap="md">
        {t('two-factor.delete_about')}
        {presence.field}
      </Stack>
    </Confirm>
  )
}
