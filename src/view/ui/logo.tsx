/** The name and the logo: a row of words in which one is underlined, because somebody put it there. */
import "./logo.css";

export function Logo() {
  return (
    <h1 className="logo-title">
      <a className="logo" href="./#" aria-label="Midtoken, start page">
        <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
          <rect x="1" y="5" width="5" height="6" rx="1" className="logo-word" opacity="0.45" />
          <rect x="8" y="5" width="11" height="6" rx="1" className="logo-word" />
          <path d="M8 14.500h11M9 12.500v4" className="logo-line" />
        </svg>
        <span className="wordmark">Midtoken</span>
      </a>
    </h1>
  );
}
