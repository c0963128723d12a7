import { ActionIcon, type ActionIconProps } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { useFacts } from '../../server/facts.ts'
import { Bookmark } from '../../ui/icons.ts'

const NewPrompt = lazy(() => import('../../prompts/prompt-sheets.tsx'))

interface Props extends Pick<ActionIconProps, 'size' | 'disabled' | 'className'> {
  text: string
  iconSize: number
}

/** Saves a text as a prompt, after its name was entered. */
export function SavePrompt({ text, iconSize, ...button }: Props) {
  const { features } = useFacts()
  const [isSaving, setSaving] = useState(false)
  if (!features.prompts) return null
  return (
    <>
      <ActionIcon
        {...button}
        variant="subtle"
        color="gray"
        aria-label={t('prompts.save_as')}
        title={t('prompts.save_as')}
        onClick={() => setSaving(true)}
      >
        <Bookmark size={iconSize} aria-hidden />
      </ActionIcon>
      {isSaving && (
        <Suspense>
          <NewPrompt text={text} onClose={() => setSaving(false)} />
        </Suspense>
      )}
    </>
  )
}
