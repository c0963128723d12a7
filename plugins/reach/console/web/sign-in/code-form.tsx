import { Button, Stack, Text } from '@mantine/core'
import { useCallback, useEffect, useRef, useState } from 'react'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { CodeField } from '../two-factor/code-field.tsx'
import { Alert } from '../ui/alert.tsx'
import { Refusal, readRetrySeconds } from './refusal.tsx'
import { useSubmit } from './use-submit.ts'

interface Props {
  /** Sends the code; throws the refusal of the server. */
  onCode(code: string): Promise<unknown>
  /** The words of the way out; "Back" by default. */
  backLabel?: string
  onBack(): void
}

/** The second step of a sign-in: the code of the app, or a recovery code. */
export default function CodeForm({ onCode, backLabel, onBack }: Props) {
  const [isRecovery, setRecovery] = useState(false)
  const { isBusy, error, setError, submit } = useSubmit(({ code = '' }) => onCode(code.trim()))
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (error !== undefined) field.current?.select()
  }, [error])
  const forget = useCallback(() => setError(undefined), [setError])
  const isWrong = error !== undefined && readFailure(error).code === 'TOTP_INVALID'
  const switchWay = () => {
    setRecovery(!isRecovery)
    forget()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{t(isRecovery ? 'two-factor.recovery_about' : 'two-factor.code_about')}</Text>
        <CodeField
          key={String(isRecovery)}
          ref={field}
          name="code"
          label={t(isRecovery ? 'two-factor.recovery_code' : 'two-factor.app_code')}
          isFree={isRecovery}
          autoFocus
        />
        {isWrong && <Alert>{t(isRecovery ? 'two-factor.wrong_recovery' : 'two-factor.wrong')}</Alert>}
        {error !== undefined && !isWrong && <Refusal error={error} onEnd={forget} />}
        <Button
          type="submit"
          loading={isBusy}
          disabled={error !== undefined && readRetrySeconds(error) !== undefined}
          fullWidth
        >
          {t('sign-in.submit')}
        </Button>
        <Button variant="subtle" onClick={switchWay} fullWidth>
          {t(isRecovery ? 'two-factor.use_app' : 'two-factor.use_recovery')}
        </Button>
        <Button variant="subtle" color="gray" onClick={onBack} fullWidth>
          {backLabel ?? t('two-factor.back')}
        </Button>
      </Stack>
    </form>
  )
}
