import { Loader } from '@mantine/core'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import { CallBody } from './call-view.tsx'
import type { Call } from './parts.ts'
import { useWholeStep } from './recorded-steps.ts'

/** The input and output of a step of which a list has only the beginning. */
export default function RecordedCall({ call, isActive }: { call: Call; isActive: boolean }) {
  const { recorded = [], ...rest } = call
  const { data, error, refetch } = useWholeStep(recorded)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loader size="xs" aria-label={t('common.loading')} />
  return <CallBody call={{ ...rest, ...data }} isActive={isActive} />
}
