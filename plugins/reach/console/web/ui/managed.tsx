import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../i18n/words.ts'
import { FileText } from './icons.ts'
import classes from './managed.module.css'

/** Returns the file that declares a managed object; undefined for an object that people change. */
export function managedFileOf(row: unknown): string | undefined {
  const { managed_file } = (row ?? {}) as { managed_file?: string | null }
  return managed_file ?? undefined
}

/** Shows a note and disabled fields if `svc apply` keeps an object; otherwise just the fields. */
export function Managed({ row, children }: { row: unknown; children: ReactNode }) {
  const file = managedFileOf(row)
  if (file === undefined) return children
  return (
    <Stack gap="lg">
      <ManagedNote file={file} />
      <fieldset disabled className={classes.fields}>
        {children}
      </fieldset>
    </Stack>
  )
}

/** Names the file that declares an object, which is to be changed instead. */
export const ManagedNote = ({ file }: { file: string }) => (
  <div className={classes.note} role="note">
    <FileText size={16} aria-hidden className={classes.icon} />
    <div>
      <Text size="sm" fw={500} className={classes.file}>
        {t('forms.managed', { file })}
      </Text>
      <Text size="sm" c="var(--meta)">
        {t('forms.managed_about')}
      </Text>
    </div>
  </div>
)
