import { Button, Group, Menu, Text } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { titleOf, useProjectThreads } from '../chat/thread-list.ts'
import { useAgent, useAgents } from '../chat/use-agent.ts'
import { LazyThreadMenu } from '../conversations/lazy-thread-menu.tsx'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { ShareItem } from '../sharing/share-item.tsx'
import { SharingSheet } from '../sharing/sharing-sheet.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { isGone } from '../ui/gone.tsx'
import { ChevronDown, Library, MessageCirclePlus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/pending.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { Section } from '../ui/section.tsx'
import { Time } from '../ui/time.tsx'
import ProjectSheet from './project-sheet.tsx'
import { deleteProject, type Project, useProject } from './projects.ts'

/** A project: its instructions, knowledge and conversations. */
export default function ProjectPage() {
  const { project: id } = useParams({ from: '/projects/$project' })
  const { data: project, error, refetch } = useProject(id)
  const [dialog, setDialog] = useState<'edit' | 'share' | 'delete'>()
  const navigate = useNavigate()
  if (!project || isGone(error))
    return (
      <Page title={t('projects.title')}>
        <Pending error={error} refetch={refetch} height={240} />
      </Page>
    )
  const close = () => setDialog(undefined)
  const remove = async () => {
    await deleteProject(id)
    await navigate({ to: '/projects' })
  }
  return (
    <Page
      title={project.name}
      about={
        <>
          {project.description}
          {!project.is_owner && <div>{t('sharing.from', { owner: project.owner })}</div>}
        </>
      }
      actions={
        <>
          <NewInProject project={project} />
          {project.can_edit && (
            <RowMenu
              name={project.name}
              onEdit={() => setDialog('edit')}
              onDelete={project.is_owner ? () => setDialog('delete') : undefined}
            >
              <ShareItem row={project} onOpen={() => setDialog('share')} />
            </RowMenu>
          )}
        </>
      }
    >
      {project.instructions && (
        <Section title={t('projects.instructions')}>
          <Text size="sm" lineClamp={6} style={{ whiteSpace: 'pre-line' }}>
            {project.instructions}
          </Text>
        </Section>
      )}
      {project.knowledge_base_ids.length > 0 && <Knowledge ids={project.knowledge_base_ids} />}
      <Section title={t('conversations.title')}>
        <Threads project={project} />
      </Section>
      {dialog === 'edit' && <ProjectSheet stored={project} onClose={close} />}
      {dialog === 'share' && <SharingSheet thing={{ kind: 'project', ...project }} onClose={close} />}
      {dialog === 'delete' && (
        <Confirm
          title={t('projects.delete_title', { name: project.name })}
          action={t('common.delete')}
          onConfirm={remove}
          onClose={close}
        >
          {t('projects.delete_about')}
        </Confirm>
      )}
    </Page>
  )
}

/** Begins a conversation in a project, with the agent that was used last or one to choose. */
function NewInProject({ project: { id } }: { project: Project }) {
  const { rows: agents = [] } = useAgents()
  const { agent } = useAgent(undefined)
  if (!agent) return null
  const addressOf = (agent_id: string) => ({
    to: '/chat/$agent' as const,
    params: { agent: agent_id },
    search: { project: id },
  })
  return (
    <Button.Group>
      <Button
        leftSection={<MessageCirclePlus size={16} aria-hidden />}
        renderRoot={(props) => <Link {...props} {...addressOf(agent.id)} />}
      >
        {t('projects.new_thread')}
      </Button>
      {agents.length > 1 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button px={8} aria-label={t('conversations.choose_agent')}>
              <ChevronDown size={16} aria-hidden />
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
            {agents.map(({ id, name }) => (
              <Menu.Item key={id} renderRoot={(props) => <Link {...props} {...addressOf(id)} />}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </Button.Group>
  )
}

/** The knowledge bases that are searched in the conversations of a project. */
function Knowledge({ ids }: { ids: readonly string[] }) {
  const { rows: bases = [] } = useRows('/knowledge-bases', { query: { limit: 200 } })
  const chosen = bases.filter(({ id }) => ids.includes(id))
  if (chosen.length === 0) return null
  return (
    <Section title={t('frame.knowledge')}>
      <Group gap="xs">
        {chosen.map(({ id, name }) => (
          <Button
            key={id}
            size="xs"
            variant="default"
            leftSection={<Library size={14} aria-hidden />}
            renderRoot={(props) => <Link {...props} to="/knowledge/$base" params={{ base: id }} />}
          >
            {name}
          </Button>
        ))}
      </Group>
    </Section>
  )
}

function Threads({ project }: { project: Project }) {
  const threads = useProjectThreads(project.id)
  const { rows: agents = [] } = useAgents()
  return (
    <List
      {...threads}
      label={t('conversations.title')}
      keyOf={({ thread_id }) => thread_id}
      textOf={(thread) => titleOf(thread)}
      empty={<Empty title={t('conversations.empty')}>{t('projects.no_threads')}</Empty>}
    >
      {(thread) => (
        <ListRow
          title={titleOf(thread)}
          link={{
            to: '/chat/$agent/$thread',
            params: { agent: thread.agent_id, thread: thread.thread_id },
          }}
          meta={
            <>
              {agents.find(({ id }) => id === thread.agent_id)?.name} · <Time at={thread.last_active} />
            </>
          }
        >
          <LazyThreadMenu
            row={thread}
            title={titleOf(thread)}
            label={t('forms.actions', { name: titleOf(thread) })}
          />
        </ListRow>
      )}
    </List>
  )
}
