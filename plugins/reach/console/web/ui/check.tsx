import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { Failure } from './failure.tsx'
import { Outcome } from './outcome.tsx'
import { useAction } from './use-action.ts'

/** The result of a check, in words. */
interface CheckResult {
  isOk: boolean
  text: string
  /** The words of the other side. */
  detail?: string | undefined
}

interface Props {
  label: string
  check(): Promise<CheckResult>
}

/** A button that tests settings before they are stored, with the outcome. */
export function Check({ label, check }: Props) {
  const { isBusy, error, run } = useAction()
  const [result, setResult] = useState<CheckResult>()
  const start = () =>
    run(async () => {
      setResult(undefined)
      setResult(await check())
    })
  return (
    <Stack gap="sm" align="flex-start" aria-live="polite">
      <Button variant="default" onClick={start} loading={isBusy}>
        {label}
      </Button>
      {error !== undefined && <Failure error={error} />}
      {result && (
        <Outcome color={result.isOk ? 'indigo' : 'red'} isUrgent={!result.isOk} detail={result.detail}>
          {result.text}
        </Outcome>
      )}
    </Stack>
  )
}
