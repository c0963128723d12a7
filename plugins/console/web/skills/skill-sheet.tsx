import { Button, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Sheet } from '../ui/sheet.tsx'
import classes from './skill-sheet.module.css'

type Skill = components['schemas']['PackageSkillDetail']

/** The file that says what a skill is for and how it works. */
const MAIN = 'SKILL.md'

interface Props {
  packageId: string
  /** The skill to show; undefined for a new one. */
  slug?: string
  canChange: boolean
  onClose(): void
}

/** Shows a skill of a package; whoever can change the package edits its text here. */
export function SkillSheet({ packageId, slug, canChange, onClose }: Props) {
  const stored = useQuery({
    queryKey: ['edit', packageId, slug],
    enabled: slug !== undefined,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => {
      const params = { path: { id: packageId, slug: slug ?? '' }, query: { contents: true } }
      return send(client.GET('/skill-packages/{id}/skills/{slug}', { params }))
    },
  })
  if (slug === undefined || stored.data)
    return <Editor packageId={packageId} stored={stored.data} canChange={canChange} onClose={onClose} />
  return (
    <Sheet title={slug} onClose={onClose} width={720}>
      {stored.error ? <Failure error={stored.error} onRetry={stored.refetch} /> : <Loading height={320} />}
    </Sheet>
  )
}

interface EditorProps extends Omit<Props, 'slug'> {
  stored: Skill | undefined
}

function Editor({ packageId, stored, canChange, onClose }: EditorProps) {
  const first = stored?.content ?? t('skills.template')
  const [slug, setSlug] = useState(stored?.slug ?? '')
  const [content, setContent] = useState(first)
  const [isDeleting, setDeleting] = useState(false)
  const params = { path: { id: packageId, slug } }
  const others = stored?.paths.filter((path) => path !== MAIN) ?? []

  const save = async () => {
    const kept = stored?.contents?.filter(({ path }) => path !== MAIN) ?? []
    const files = [{ path: MAIN, content }, ...kept]
    await send(client.PUT('/skill-packages/{id}/skills/{slug}', { params, body: { files } }))
    await refresh('/skill-packages')
  }
  const remove = async () => {
    await send(client.DELETE('/skill-packages/{id}/skills/{slug}', { params }))
    await refresh('/skill-packages')
    onClose()
  }
  return (
    <Sheet
      title={stored?.name ?? t('skills.add')}
      width={720}
      isDirty={content !== first}
      canSave={slug !== '' && (!stored || content !== first)}
      onSave={canChange ? save : undefined}
      onClose={onClose}
      aside={
        stored &&
        canChange && (
          <Button variant="subtle" c="var(--danger)" onClick={() => setDeleting(true)}>
            {t('common.delete')}
          </Button>
        )
      }
    >
      {!stored && (
        <TextInput
          label={t('skills.slug')}
          description={t('skills.slug_help')}
          maxLength={64}
          required
          withAsterisk={false}
          value={slug}
          onChange={(event) => setSlug(event.currentTarget.value.toLowerCase().replace(/[^a-z0-9_-]/g, '-'))}
          data-autofocus
        />
      )}
      <Textarea
        label={t('skills.text')}
        description={t('skills.text_help')}
        autosize
        minRows={14}
        maxRows={28}
        readOnly={!canChange}
        classNames={{ input: classes.code }}
        spellCheck={false}
        value={content}
        onChange={(event) => setContent(event.currentTarget.value)}
      />
      {others.length > 0 && (
        <div>
          <Text size="sm" fw={500}>
            {t('skills.other_files')}
          </Text>
          <ul className={classes.files}>
            {others.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </div>
      )}
      {isDeleting && (
        <Confirm
          title={t('skills.delete_title', { name: stored?.name ?? '' })}
          action={t('common.delete')}
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          {t('skills.delete_skill_about')}
        </Confirm>
      )}
    </Sheet>
  )
}
