import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { joinNames, t } from '../i18n/words.ts'
import { usePermissionNames } from '../people/permission-picks.tsx'
import { client } from '../server/client.ts'
import { send, settings } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { useAction } from '../ui/use-action.ts'
import type { Rule, Settings } from './service.ts'

type Preview = components['schemas']['ClaimRulesPreview']

/** Tries rules on a person who does not exist: values for each field that a rule looks at, and what that grants. */
export function RulesPreview({ kind, rules }: { kind: Settings['kind']; rules: Rule[] }) {
  const [values, setValues] = useState<Record<string, string>>({})
  const [preview, setPreview] = useState<Preview>()
  const { isBusy, error, run } = useAction()
  const complete = rules.filter(({ claim }) => claim.trim() !== '')
  const names = [...new Set(complete.map(({ claim }) => claim))]

  const ask = () =>
    run(async () => {
      const claims = Object.fromEntries(
        names.map((name) => [name, (values[name] ?? '').split(',').map((value) => value.trim())]),
      )
      const body = { claims: settings(claims), rules: complete }
      setPreview(
        await send(client.POST('/auth/oauth/providers/{kind}/preview', { params: { path: { kind } }, body })),
      )
    })
  return (
    <Stack gap="sm" role="group" aria-label={t('sso.preview')}>
      <Text size="sm" fw={500}>
        {t('sso.preview')}
      </Text>
      {names.map((name) => (
        <TextInput
          key={name}
          label={t('sso.preview_value', { name })}
          description={t('sso.preview_help')}
          value={values[name] ?? ''}
          onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
        />
      ))}
      <Group gap="md">
        <Button variant="default" size="xs" loading={isBusy} onClick={ask}>
          {t('sso.preview_action')}
        </Button>
        <Text size="sm" role="status">
          {preview && <Outcome preview={preview} />}
        </Text>
      </Group>
      {error !== undefined && <Failure error={error} />}
    </Stack>
  )
}

function Outcome({ preview: { role, permissions } }: { preview: Preview }) {
  const toName = usePermissionNames()
  if (role === 'admin') return t('sso.becomes_admin')
  if (permissions.length === 0) return t('sso.becomes_user')
  return t('sso.becomes_with', { permissions: joinNames(permissions.map(toName)) })
}
