/** The key under which the tab stores comments that are typed and not kept yet. */
export const DRAFTS = "chat-ui-comments";
