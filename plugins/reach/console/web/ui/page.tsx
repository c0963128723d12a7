import { Stack } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Heading } from './heading.tsx'
import classes from './page.module.css'

interface Props {
  title: string
  /** A sentence about what the page is for. */
  about?: ReactNode
  /** The buttons at the right of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** A page beside the menu: its title, its actions, and its content below. */
export function Page({ title, about, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <main className={classes.page}>
      <Stack gap="lg">
        <Heading order={1} {...{ title, about, actions }} />
        {children}
      </Stack>
    </main>
  )
}
