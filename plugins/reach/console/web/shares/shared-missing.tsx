import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../i18n/words.ts'
import classes from './shared-conversation.module.css'

/** Says that a link shows nothing, and what somebody can do. */
export function SharedMissing({ about, children }: { about: string; children: ReactNode }) {
  return (
    <div className={classes.state}>
      <Title order={1} size="h3">
        {t('shares.missing')}
      </Title>
      <Text c="var(--meta)" maw={420}>
        {about}
      </Text>
      {children}
    </div>
  )
}
