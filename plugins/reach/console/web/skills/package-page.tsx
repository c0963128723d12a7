import { Button, FileButton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { components } from '#client'
import { formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send, sendTagged } from '../server/send.ts'
import { may, owns, useAccount } from '../session/account.ts'
import type { SharedThing } from '../sharing/kinds.ts'
import { ShareButton } from '../sharing/share-button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { isGone } from '../ui/gone.tsx'
import { FileText, Pencil, Plus, Trash2, Upload } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/pending.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { useAction } from '../ui/use-action.ts'
import { SkillEditor } from './skill-editor.tsx'
import { PackageSheet } from './skills-page.tsx'

type Skill = components['schemas']['PackageSkill']

/** A package with its skills. */
export default function PackagePage() {
  const { package: id } = useParams({ from: '/skills/$package' })
  const account = useAccount()
  const navigate = useNavigate()
  const params = { path: { id } }
  const loadedPackage = useQuery({
    queryKey: ['get', '/skill-packages/{id}', id, 'tagged'],
    queryFn: () =>
      sendTagged(client.GET('/skill-packages/{id}', { params: { ...params, query: { limit: 200 } } })),
  })
  const [open, setOpen] = useState<Skill | 'new' | 'edit' | 'delete'>()
  const { isBusy, error, run } = useAction()
  if (!loadedPackage.data || isGone(loadedPackage.error))
    return (
      <Page title={t('skills.title')}>
        <Pending {...loadedPackage} height={160} />
      </Page>
    )
  const { data, tag } = loadedPackage.data
  const canChange = may(account, 'skill_packages') && data.can_edit
  const thing: SharedThing = { kind: 'skill_package', ...data, owner: data.created_by }
  const close = () => setOpen(undefined)
  const editor = { list: '/skill-packages/{id}/skills', id, canChange, onClose: close } as const
  const upload = (file: File | null) =>
    file &&
    run(async () => {
      const form = new FormData()
      form.append('file', file)
      const body = { file: file.name }
      await send(client.POST('/skill-packages/{id}/skills', { params, body, bodySerializer: () => form }))
      await refresh('/skill-packages')
    })
  const remove = async () => {
    await send(client.DELETE('/skill-packages/{id}', { params }))
    await navigate({ to: '/skills' })
    await refresh('/skill-packages')
  }
  const removeSkill = async ({ slug }: Skill) => {
    await send(client.DELETE('/skill-packages/{id}/skills/{slug}', { params: { path: { id, slug } } }))
    await refresh('/skill-packages')
  }
  const actions = canChange && (
    <>
      <ShareButton thing={thing} canEdit={data.can_edit} />
      <Button variant="default" leftSection={<Pencil size={14} />} onClick={() => setOpen('edit')}>
        {t('common.edit')}
      </Button>
      <FileButton accept=".zip,.skill,application/zip" onChange={upload}>
        {(props) => (
          <Button {...props} variant="default" loading={isBusy} leftSection={<Upload size={14} />}>
            {t('skills.upload')}
          </Button>
        )}
      </FileButton>
      <Button leftSection={<Plus size={16} />} onClick={() => setOpen('new')}>
        {t('skills.add')}
      </Button>
    </>
  )
  return (
    <Page title={data.name} about={data.description} actions={actions}>
      {error !== undefined && <Failure error={error} />}
      <List
        rows={data.skills}
        error={undefined}
        refetch={loadedPackage.refetch}
        label={t('skills.skills')}
        keyOf={({ slug }) => slug}
        textOf={({ slug, name, description }) => `${slug} ${name} ${description}`}
        empty={<Empty title={t('skills.empty')}>{t('skills.empty_about')}</Empty>}
      >
        {(skill) => (
          <ListRow
            icon={<FileText size={16} aria-hidden />}
            title={skill.name}
            meta={skill.description}
            onOpen={() => setOpen(skill)}
          >
            <Text size="xs" c="var(--meta)">
              {t('skills.files', { count: skill.files })} · {formatBytes(skill.bytes)}
            </Text>
            {canChange && (
              <RowMenu
                name={skill.name}
                onEdit={() => setOpen(skill)}
                deletion={{ about: t('skills.delete_skill_about'), run: () => removeSkill(skill) }}
              />
            )}
          </ListRow>
        )}
      </List>
      {canChange && owns(account, data) && (
        <Button
          variant="subtle"
          w="fit-content"
          c="var(--danger)"
          leftSection={<Trash2 size={14} />}
          onClick={() => setOpen('delete')}
        >
          {t('skills.delete_package')}
        </Button>
      )}
      {open === 'edit' && <PackageSheet stored={data} tag={tag} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={t('skills.delete_title', { name: data.name })}
          action={t('common.delete')}
          name={data.name}
          onConfirm={remove}
          onClose={close}
        >
          {t('skills.delete_about')}
        </Confirm>
      )}
      {open === 'new' && <SkillEditor {...editor} />}
      {typeof open === 'object' && <SkillEditor {...editor} slug={open.slug} />}
    </Page>
  )
}
