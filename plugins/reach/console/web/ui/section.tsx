import { Stack } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { Heading } from './heading.tsx'

interface Props {
  title: string
  about?: ReactNode
  /** Buttons at the right of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** A part of a page under a title of its own. */
export function Section({ children, ...heading }: Props) {
  const id = useId()
  return (
    <Stack gap="sm" component="section" aria-labelledby={id}>
      <Heading order={2} id={id} {...heading} />
      {children}
    </Stack>
  )
}
