import { useEffect, useState } from 'react'
import type { components } from '#client'
import { language } from '../i18n/language.ts'

type Facts = components['schemas']['ConsoleFacts']

let reading: Promise<Facts> | undefined

const read = () => {
  reading ??= fetch('/api/console', { headers: { 'accept-language': language } }).then((reply) =>
    reply.json(),
  )
  return reading
}

/** Returns the facts of the server; undefined until they were read, and if they cannot be: the form works without. */
export function useServerFacts(): Facts | undefined {
  const [facts, setFacts] = useState<Facts>()
  useEffect(() => {
    read().then(setFacts, () => {
      reading = undefined
    })
  }, [])
  return facts
}
