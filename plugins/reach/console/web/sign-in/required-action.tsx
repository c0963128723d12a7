import { Button, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { leaveSession, readSession, updateUser } from '../session/token.ts'
import { TotpFields } from '../two-factor/totp-fields.tsx'
import { useTotpSetup } from '../two-factor/use-totp-setup.ts'
import { Failure } from '../ui/failure.tsx'
import { useAction } from '../ui/use-action.ts'
import CodeForm from './code-form.tsx'
import { Layout } from './layout.tsx'

const complete = () => updateUser({ required_actions: [] })

const signOut = async () => {
  await client.POST('/auth/logout')
  leaveSession()
}

/** Asks for the second factor that the server requires, or for its setup, before anything else. */
export default function RequiredAction() {
  if (!readSession()?.user.required_actions?.includes('verify_totp')) return <SetUp />
  const verify = async (code: string) => {
    await send(client.POST('/auth/totp/verify', { body: { code } }))
    complete()
  }
  return (
    <Layout title={t('two-factor.code_title')}>
      <CodeForm onCode={verify} backLabel={t('sign-in.sign_out')} onBack={signOut} />
    </Layout>
  )
}

function SetUp() {
  const { step, start, begin, confirm } = useTotpSetup()
  const [value, setValue] = useState('')
  const { isBusy, error, run } = useAction()

  const go = () =>
    run(async () => {
      if (!step) return start(false)
      if (step.name === 'codes') return complete()
      await (step.name === 'scan' ? confirm(value.trim()) : begin({ password: value }))
      setValue('')
    })
  const isDone = step?.name === 'codes'
  const label = isDone ? 'stored' : step?.name === 'scan' ? 'confirm' : 'continue'
  return (
    <Layout
      title={t(isDone ? 'two-factor.codes_title' : 'two-factor.required_title')}
      about={!step && t('two-factor.required_about')}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void go()
        }}
      >
        <Stack gap="md">
          {step && <FocusedFields key={step.name} step={step} value={value} onChange={setValue} />}
          {error !== undefined && <Failure error={error} />}
          <Button
            type="submit"
            loading={isBusy}
            disabled={Boolean(step) && !isDone && !value.trim()}
            fullWidth
          >
            {t(`two-factor.${label}`)}
          </Button>
          {!isDone && (
            <Button variant="subtle" color="gray" onClick={signOut} fullWidth>
              {t('sign-in.sign_out')}
            </Button>
          )}
        </Stack>
      </form>
    </Layout>
  )
}

/** The fields of a step; the first one takes the focus, as in a dialog. */
function FocusedFields(props: Parameters<typeof TotpFields>[0]) {
  useEffect(() => document.querySelector<HTMLElement>('[data-autofocus]')?.focus(), [])
  return <TotpFields {...props} />
}
