import { Failure } from './failure.tsx'
import { Loading } from './loading.tsx'

interface Props {
  error: unknown
  refetch(): unknown
  height: number
}

/** Takes the place of what a query has not read yet, and says why it failed. */
export const Pending = ({ error, refetch, height }: Props) =>
  error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading height={height} />
