import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Failure } from '../ui/failure.tsx'
import classes from './page-failure.module.css'

/** A page that could not be shown. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    router.invalidate()
  }
  return (
    <main className={classes.failure}>
      <Failure error={error} onRetry={retry} />
    </main>
  )
}
