import { Skeleton } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { Failure } from './failure.tsx'
import { Gone, isGone } from './gone.tsx'

interface Props {
  error: unknown
  refetch(): unknown
  height: number
}

/** Shows that a query loads, or why it failed. */
export function Pending({ error, refetch, height }: Props) {
  if (!error) return <Loading height={height} />
  return isGone(error) ? <Gone /> : <Failure error={error} onRetry={() => void refetch()} />
}

/** A placeholder for something that is being loaded; the height is in pixels. */
export const Loading = ({ height }: { height: number }) => (
  <Skeleton height={height} role="status" aria-label={t('common.loading')} />
)
