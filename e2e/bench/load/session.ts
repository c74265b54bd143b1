/** The page of the session's tests, for the bench. */
import "../../session/session-page.ts";
