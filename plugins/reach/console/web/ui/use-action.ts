import { useState } from 'react'

/** Runs the action of a button, one at a time, and keeps its error. */
export function useAction() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (reason) {
      setError(reason)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, run, forget: () => setError(undefined) }
}
