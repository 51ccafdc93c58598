-- A small public library. `topics` says how much a book is about the sea, space, crime and love.
CREATE EXTENSION vector;

CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL, country text NOT NULL, born int NOT NULL);
CREATE TABLE books (
    id int PRIMARY KEY, title text NOT NULL, author_id int NOT NULL REFERENCES authors, year int NOT NULL,
    pages int NOT NULL, topics vector(4) NOT NULL);
CREATE TABLE members (id int PRIMARY KEY, name text NOT NULL, city text NOT NULL, joined date NOT NULL);
CREATE TABLE loans (
    id int PRIMARY KEY, book_id int NOT NULL REFERENCES books, member_id int NOT NULL REFERENCES members,
    lent date NOT NULL, returned date);

INSERT INTO authors VALUES
    (1, 'Herman Melville', 'United States', 1819), (2, 'Jules Verne', 'France', 1828),
    (3, 'Arthur Conan Doyle', 'United Kingdom', 1859), (4, 'Jane Austen', 'United Kingdom', 1775),
    (5, 'H. G. Wells', 'United Kingdom', 1866), (6, 'Joseph Conrad', 'United Kingdom', 1857),
    (7, 'Leo Tolstoy', 'Russia', 1828), (8, 'Fyodor Dostoevsky', 'Russia', 1821),
    (9, 'Emily Brontë', 'United Kingdom', 1818), (10, 'Mary Shelley', 'United Kingdom', 1797);

INSERT INTO books VALUES
    (1, 'Moby-Dick', 1, 1851, 635, '[0.98,0.02,0.10,0.05]'),
    (2, 'Billy Budd', 1, 1924, 160, '[0.80,0.00,0.55,0.10]'),
    (3, 'Twenty Thousand Leagues Under the Seas', 2, 1870, 420, '[0.95,0.25,0.10,0.02]'),
    (4, 'From the Earth to the Moon', 2, 1865, 320, '[0.05,0.97,0.05,0.03]'),
    (5, 'Around the World in Eighty Days', 2, 1873, 300, '[0.45,0.05,0.30,0.35]'),
    (6, 'A Study in Scarlet', 3, 1887, 180, '[0.02,0.00,0.97,0.25]'),
    (7, 'The Hound of the Baskervilles', 3, 1902, 256, '[0.03,0.02,0.95,0.12]'),
    (8, 'Pride and Prejudice', 4, 1813, 432, '[0.02,0.00,0.04,0.99]'),
    (9, 'Persuasion', 4, 1817, 250, '[0.30,0.00,0.02,0.93]'),
    (10, 'The War of the Worlds', 5, 1898, 192, '[0.10,0.93,0.20,0.08]'),
    (11, 'The Time Machine', 5, 1895, 118, '[0.02,0.70,0.12,0.22]'),
    (12, 'Lord Jim', 6, 1900, 416, '[0.88,0.00,0.35,0.20]'),
    (13, 'The Secret Agent', 6, 1907, 312, '[0.08,0.02,0.85,0.28]'),
    (14, 'War and Peace', 7, 1869, 1225, '[0.05,0.01,0.25,0.70]'),
    (15, 'Anna Karenina', 7, 1878, 864, '[0.03,0.00,0.15,0.95]'),
    (16, 'Crime and Punishment', 8, 1866, 545, '[0.02,0.00,0.98,0.30]'),
    (17, 'The Idiot', 8, 1869, 650, '[0.01,0.00,0.45,0.75]'),
    (18, 'Wuthering Heights', 9, 1847, 342, '[0.04,0.00,0.22,0.90]'),
    (19, 'Frankenstein', 10, 1818, 280, '[0.25,0.30,0.60,0.35]'),
    (20, 'The Last Man', 10, 1826, 450, '[0.20,0.35,0.15,0.55]');

INSERT INTO members VALUES
    (1, 'Ada', 'Lisbon', '2021-03-14'), (2, 'Ben', 'Porto', '2020-11-02'), (3, 'Chloe', 'Lisbon', '2022-06-30'),
    (4, 'Dan', 'Braga', '2021-09-09'), (5, 'Eva', 'Porto', '2023-01-17'), (6, 'Finn', 'Lisbon', '2019-05-21'),
    (7, 'Gita', 'Faro', '2022-02-28'), (8, 'Hugo', 'Braga', '2023-08-01');

-- 120 loans: reproducible, uneven, every ninth not returned; member 8 has never lent anything.
INSERT INTO loans
SELECT n, 1 + (n * n + 3 * n) % 19, 1 + (n * 5 + n / 7) % 7, date '2024-01-01' + n * 3,
       CASE WHEN n % 9 <> 0 THEN date '2024-01-01' + n * 3 + 5 + n % 23 END
FROM generate_series(1, 120) AS n;

CREATE ROLE reader LOGIN;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
