import { Skeleton } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { Failure } from './failure.tsx'

interface Props {
  error: unknown
  refetch(): unknown
  height: number
}

/** Shows that a query loads, or why it failed. */
export const Pending = ({ error, refetch, height }: Props) =>
  error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading height={height} />

/** A placeholder for something that is being loaded; the height is in pixels. */
export const Loading = ({ height }: { height: number }) => (
  <Skeleton height={height} role="status" aria-label={t('common.loading')} />
)
