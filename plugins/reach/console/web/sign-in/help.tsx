import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { t } from '../i18n/words.ts'

interface Props {
  /** True if people can be invited. */
  hasInvites: boolean
  /** True if there are other ways to sign in than a password. */
  hasServices: boolean
}

/** The help for people without a password: an invite, and whom to ask. */
export function Help({ hasInvites, hasServices }: Props) {
  const [open, setOpen] = useState<'password' | 'invite'>()
  const toggle = (name: typeof open) => setOpen(open === name ? undefined : name)
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Anchor
          component="button"
          type="button"
          size="sm"
          aria-expanded={open === 'password'}
          onClick={() => toggle('password')}
        >
          {t('sign-in.forgot')}
        </Anchor>
        {hasInvites && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            aria-expanded={open === 'invite'}
            onClick={() => toggle('invite')}
          >
            {t('sign-in.have_invite')}
          </Anchor>
        )}
      </Group>
      {open === 'password' && (
        <Text size="sm" c="var(--meta)" role="status">
          {t(hasServices ? 'sign-in.forgot_services' : 'sign-in.forgot_about')}
        </Text>
      )}
      {open === 'invite' && <InviteCode />}
    </Stack>
  )
}

/** Takes the code of an invite, or the whole link. */
function InviteCode() {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const entered = String(new FormData(event.currentTarget).get('code')).trim()
    const code = /[?&]code=([^&#\s]+)/.exec(entered)?.[1] ?? encodeURIComponent(entered)
    location.assign(`/invite?code=${code}`)
  }
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          name="code"
          label={t('sign-in.invite_code')}
          autoComplete="off"
          spellCheck={false}
          maxLength={500}
          required
          withAsterisk={false}
          autoFocus
        />
        <Button type="submit" variant="default">
          {t('sign-in.invite_continue')}
        </Button>
      </Group>
    </form>
  )
}
