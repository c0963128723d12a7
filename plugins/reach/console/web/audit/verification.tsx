import { Button, Progress, Stack, Text } from '@mantine/core'
import { createParser } from 'eventsource-parser'
import { useEffect, useRef, useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { Failure } from '../ui/failure.tsx'
import { Outcome } from '../ui/outcome.tsx'
import { Section } from '../ui/section.tsx'
import { useAction } from '../ui/use-action.ts'

type Step = components['schemas']['AuditVerification']
type Verdict = NonNullable<Step['verdict']>

/** The button that verifies the log, its progress, and the verdict in words. */
export function Verification() {
  const [step, setStep] = useState<Step>()
  const { isBusy, error, run } = useAction()
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const verify = () => {
    const control = new AbortController()
    stop.current = control
    setStep(undefined)
    void run(() => readSteps(control.signal, setStep))
  }
  return (
    <Section
      title={t('audit.verify')}
      about={t('audit.verify_about')}
      actions={
        <Button variant="default" loading={isBusy} onClick={verify}>
          {t('audit.verify_now')}
        </Button>
      }
    >
      {isBusy && step && <Checked {...step} />}
      {step?.verdict && <Result verdict={step.verdict} />}
      {Boolean(error) && <Failure error={error} onRetry={verify} />}
    </Section>
  )
}

function Checked({ rows, total }: Step) {
  return (
    <Stack gap={6}>
      <Text size="sm" c="var(--meta)" role="status">
        {t('audit.checked', { rows, total })}
      </Text>
      <Progress size={4} value={total === 0 ? 100 : Math.min((100 * rows) / total, 100)} aria-hidden />
    </Stack>
  )
}

function Result({ verdict: { broken, rows, removed, hash } }: { verdict: Verdict }) {
  if (broken)
    return (
      <Outcome color="red" isUrgent detail={t('audit.intact_before', { count: rows })}>
        {t(`audit.fault_${broken.fault}`, { id: broken.id })}
      </Outcome>
    )
  const details = [
    removed > 0 && t('audit.removed_before', { count: removed }),
    hash && t('audit.newest', { hash }),
  ]
  return (
    <Outcome color="green" detail={details.filter(Boolean).join(' ')}>
      <span role="status">{t('audit.intact', { count: rows })}</span>
    </Outcome>
  )
}

/** Reads the steps of a verification to the verdict; throws if the stream ends before it. */
async function readSteps(signal: AbortSignal, note: (step: Step) => void): Promise<void> {
  const { data, error } = await client.GET('/admin/audit-log/verification', { parseAs: 'stream', signal })
  if (error !== undefined) throw error
  let isDecided = false
  let failure: unknown
  const parser = createParser({
    onEvent({ event, data }) {
      const content: unknown = JSON.parse(data)
      if (event === 'error') {
        failure = content
        return
      }
      const step = content as Step
      isDecided = step.verdict !== null
      note(step)
    },
  })
  const reader = (data as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) parser.feed(read.value)
  } catch (reason) {
    if (!signal.aborted) throw reason
  }
  if (failure) throw failure
  if (!isDecided && !signal.aborted) throw new TypeError('The stream ended before the verdict.')
}
