import { Failure } from './failure.tsx'
import { Loading } from './loading.tsx'

interface Props {
  error: unknown
  refetch(): unknown
  height: number
}

/** Shows that a query loads, or why it failed. */
export const Pending = ({ error, refetch, height }: Props) =>
  error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading height={height} />
