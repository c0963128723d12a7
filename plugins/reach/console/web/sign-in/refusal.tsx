import { useEffect, useState } from 'react'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { Alert } from '../ui/alert.tsx'
import { Failure } from '../ui/failure.tsx'

interface Props {
  error: unknown
  /** Called when a lock has ended and another attempt can succeed. */
  onEnd(): void
}

/** The reason why a sign-in was refused: plain for a wrong password, with its end for a lock. */
export function Refusal({ error, onEnd }: Props) {
  const { code } = readFailure(error)
  if (code === 'AUTH_FAILED') return <Alert>{t('sign-in.wrong')}</Alert>
  const seconds = readRetrySeconds(error)
  if (seconds === undefined) return <Failure error={error} />
  return <Lock key={String(seconds)} code={code!} seconds={seconds} onEnd={onEnd} />
}

/** The seconds after which a refused sign-in may be tried again; undefined if time does not matter. */
export function readRetrySeconds(error: unknown): number | undefined {
  const seconds = (error as { error?: { details?: { retry_after_seconds?: unknown } } })?.error?.details
    ?.retry_after_seconds
  return typeof seconds === 'number' ? seconds : undefined
}

function Lock({ code, seconds, onEnd }: { code: string; seconds: number; onEnd(): void }) {
  const [end] = useState(() => new Date(Date.now() + seconds * 1000))
  useEffect(() => {
    const timer = setTimeout(onEnd, seconds * 1000)
    return () => clearTimeout(timer)
  }, [seconds, onEnd])
  const time = end.toLocaleTimeString(document.documentElement.lang, { hour: '2-digit', minute: '2-digit' })
  return <Alert>{t(code === 'LOGIN_LOCKED' ? 'sign-in.locked' : 'sign-in.limited', { time })}</Alert>
}
