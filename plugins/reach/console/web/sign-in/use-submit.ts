import { type FormEvent, useState } from 'react'

/** Sends a form, one request at a time, and keeps the error for display. */
export function useSubmit(send: (fields: Record<string, string>) => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    setBusy(true)
    setError(undefined)
    try {
      await send(fields)
    } catch (reason) {
      setError(reason)
    }
    setBusy(false)
  }
  return { isBusy, error, setError, submit }
}
