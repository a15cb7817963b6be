export {
  type AgentBashHandler,
  type CommandResult,
  CommandType,
  type Invocation,
  type JsonSchema,
} from './base/command/agent-command.ts';
export type { Problems } from './base/command/replies.ts';
export { StateError } from './base/command/state-error.ts';
export { commandText, safeText } from './base/safe-text.ts';
export {
  DEFAULT_SETTINGS,
  type GuidanceSettings,
  type ListLimits,
  readSettings,
  type Settings,
  type SettingsReading,
  type SettingsSource,
  settingsOfCalls,
} from './base/settings/settings.ts';
export { Guide, type GuideOptions } from './guidance/guide.ts';
export { listInContext } from './guidance/list-in-context.ts';
export { GUIDANCE_RULES, type GuidanceRule } from './guidance/rules.ts';
export { type SystemPromptOptions, systemPrompt } from './guidance/system-prompt.ts';
export { quoted } from './guidance/texts.ts';
export type { ItemChange, RoutedCommand, TaskWork, Work } from './guidance/work.ts';
export { FilePlace, type FilePlaceOptions } from './lists/file-place.ts';
export { MemoryPlace, type Place, type Version } from './lists/place.ts';
export { type RenderOptions, renderTodos } from './screen/panel/render-lists.ts';
export { type PanelMode, TaskPanel, type TaskPanelOptions } from './screen/panel/task-panel.ts';
export { createTheme, type Theme, themeFor } from './screen/panel/theme.ts';
export type { PanelStream } from './screen/terminal/screen.ts';
export { BashSession, type BashSessionOptions } from './shell/bash/bash-session.ts';
export type { RunOptions } from './shell/bash/run-options.ts';
export {
  type Approval,
  type ApprovalRequest,
  type Approve,
  allowList,
  type CommandPrefix,
  denyList,
} from './shell/router/approval.ts';
export { BashRouter } from './shell/router/bash-router.ts';
export type {
  BashRouterOptions,
  ChildOptions,
  NativeShell,
  ReminderPlace,
  RouteOptions,
  RouteResult,
} from './shell/router/router-options.ts';
export type { Reason, ReasonCode, Refused } from './tasks/reasons.ts';
export type { Task, TaskGraph, TaskStatus } from './tasks/task.ts';
export { taskCommands } from './tasks/task-commands.ts';
export { type HookSurroundings, type TaskContext, taskContext } from './tasks/task-context.ts';
export {
  openTaskStore,
  type TaskListLocation,
  type TaskPlace,
  type TaskRow,
  TaskStore,
  type TaskVersion,
  type TaskView,
  taskView,
} from './tasks/task-store.ts';
export type { TodoItem, TodoPriority, TodoStatus } from './todo/todo-fields.ts';
export { TodoProveHandler } from './todo/todo-prove.ts';
export { TodoReadHandler } from './todo/todo-read.ts';
export {
  type ListValidation,
  type TodoListSchema,
  todoListSchema,
  validateTodoList,
} from './todo/todo-schema.ts';
export type { OpenList, TodoSource } from './todo/todo-source.ts';
export {
  openTodoStore,
  type TodoListener,
  TodoStore,
  type TodoStoreLocation,
  todoStore,
  todoStoreOf,
} from './todo/todo-store.ts';
export type { TodoState, TodoVersion } from './todo/todo-version.ts';
export { TodoWriteHandler } from './todo/todo-write.ts';
