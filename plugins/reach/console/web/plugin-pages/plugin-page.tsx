import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { NotFound } from '../frame/not-found.tsx'
import { findPluginPage, type PluginPage } from '../frame/plugin-pages.ts'
import { language } from '../i18n/language.ts'
import { client } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { Failure } from '../ui/failure.tsx'
import { Page } from '../ui/page.tsx'

/** The page that a plugin adds at the present address. */
export default function PluginPageAtAddress() {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const page = findPluginPage(useFacts().pages, path)
  return page ? <Mounted key={page.path} page={page} /> : <NotFound />
}

/** Shows a page of a plugin: its module fills an element, and leaves it when the page is left. */
function Mounted({ page: { title, module } }: { page: PluginPage }) {
  const element = useRef<HTMLDivElement>(null)
  const [error, setError] = useState<unknown>()

  useEffect(() => {
    const target = element.current
    let unmount: (() => void) | undefined
    let hasLeft = false
    import(/* @vite-ignore */ module)
      .then(({ default: mount }) => {
        if (!hasLeft) unmount = mount(target, { language, request })
      })
      .catch(setError)
    return () => {
      hasLeft = true
      unmount?.()
      target?.replaceChildren()
    }
  }, [module])

  return (
    <Page title={title[language]}>
      {error !== undefined && <Failure error={error} />}
      <div ref={element} />
    </Page>
  )
}

/** Calls the API for the page of a plugin; returns the parsed reply. Throws the body of a refusal. */
async function request(method: string, path: string, body?: object): Promise<unknown> {
  const call = client.request as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; error?: unknown }>
  const { data, error } = await call(method.toLowerCase(), path, body ? { body } : {})
  if (error !== undefined) throw error
  return data
}
