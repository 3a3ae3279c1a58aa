BEGIN TRANSACTION;
CREATE TABLE ledger_book (
	id INTEGER NOT NULL CHECK (id = 1), 
	unit TEXT NOT NULL, 
	adjacency VARCHAR(16) NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "ledger_book" VALUES(1,'one person','add-remove');
CREATE TABLE ledger_budgets (
	name TEXT NOT NULL, 
	mu TEXT NOT NULL, 
	slack TEXT NOT NULL, 
	period TEXT, 
	spent TEXT NOT NULL, 
	spent_slack TEXT NOT NULL, 
	pending TEXT NOT NULL, 
	past TEXT NOT NULL, 
	past_slack TEXT NOT NULL, 
	periods INTEGER NOT NULL, per_person BOOLEAN DEFAULT 0 NOT NULL, most TEXT DEFAULT '0' NOT NULL, most_slack TEXT DEFAULT '0' NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "ledger_budgets" VALUES('top','2.0','1e-06',NULL,'1/4','0','0','0','0',1,0,'4','1/1000000');
INSERT INTO "ledger_budgets" VALUES('all','1.0','0.0','year','0','0','0','1/4','0',2,0,'1','0');
INSERT INTO "ledger_budgets" VALUES('each','1.0','0.0',NULL,'0','0','0','0','0',1,1,'1','0');
CREATE TABLE ledger_entries (
	seq INTEGER NOT NULL, 
	time VARCHAR(32) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	budget TEXT, 
	"key" TEXT, 
	content TEXT NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	PRIMARY KEY (seq)
);
INSERT INTO "ledger_entries" VALUES(1,'2026-11-20T00:11:26.945984+00:00','create',NULL,NULL,'{"adjacency":"add-remove","schema":"0003","unit":"one person"}','0216283acfba106269c26037dc9448b7abb362494dcf479e1fa7443d27416090');
INSERT INTO "ledger_entries" VALUES(2,'2026-11-20T00:11:27.000485+00:00','open','top',NULL,'{"mu":"2.0","per_person":false,"period":"","purpose":"","slack":"1e-06","within":["top"]}','46a9521d503566c94ce1cfe72c7ca5773678592805ce17606c845e2ee8513dfc');
INSERT INTO "ledger_entries" VALUES(3,'2026-11-20T00:11:27.042054+00:00','open','all',NULL,'{"mu":"1.0","per_person":false,"period":"year","purpose":"","slack":"0.0","within":["all","top"]}','1881cc3fdebafd263bd898212d12975fb261db71e4095bddf25429040d0f428f');
INSERT INTO "ledger_entries" VALUES(4,'2026-11-20T00:11:27.057762+00:00','open','each',NULL,'{"mu":"1.0","per_person":true,"period":"","purpose":"","slack":"0.0","within":["each"]}','27f914e867e787fd979c189447f55f531dd50b7b0f9d53031c0cb5b72e654379');
INSERT INTO "ledger_entries" VALUES(5,'2026-11-20T00:11:27.074431+00:00','reserve','all','a','{"charged":[["all",1],["top",1]],"plan":[{"adjacency":"add-remove","mechanism":"gaussian","noise_multiplier":2.0}],"purpose":"a table","release":"Gaussian(noise_multiplier=2.0)","request":"04268ef7b3df734678d7922a15e2c6a7e3bd813384ecdd50e509fb432088fc01","slack":"0","square":"1/4"}','6bddb57d3803e254b20974147b767175773465d39f3971d39d8c4dd0baa19f7e');
INSERT INTO "ledger_entries" VALUES(6,'2026-11-20T00:11:27.092868+00:00','commit','all','a','{"of":5}','0fac325f775fbafaafb4b3cbb5a5e6da7542c0fad8c7abf411c35dcc21019562');
INSERT INTO "ledger_entries" VALUES(7,'2026-11-20T00:11:27.104188+00:00','reserve','each','p','{"charged":[["each",1]],"people":2,"purpose":"","release":"Gaussian DP with μ = 0.5","request":"eeb67a71831c39b3d08afe075435200f44fb1f67b4280a10c48990a59e7d8c59","slack":"0","square":"1/4","units":25000000000000000,"who":"520301fb2dceb50a91e59088d76d85d746d5bc7413358e9fe52ef0caa6439127"}','c426892c3ba9a8493883811ba0024e6d51c01edae580cb0fc7dbddf3c62ae8de');
INSERT INTO "ledger_entries" VALUES(8,'2026-11-20T00:11:27.125053+00:00','refund','each','p','{"of":7,"reason":"nothing came out"}','4696a3b1431b81613a58a41c816a51733d5cd8b4731c5bc6eefd495271afafaa');
INSERT INTO "ledger_entries" VALUES(9,'2026-11-20T00:11:27.134772+00:00','reserve','each','q','{"charged":[["each",1]],"people":2,"purpose":"","release":"Gaussian DP with μ = 0.5","request":"6d121f0f32cf385a8bda806b58bfc2857abf8ee2c26e521f21103ec0debadf75","slack":"0","square":"1/4","units":25000000000000000,"who":"3f54bb0573ff10ae091050d285a06ed4a6931234f4a54e228538f2e6ab2c0f67"}','9b4f0b9d286782074f39e3a94b5d8ee3927c42594983e82e3101a532f2105669');
INSERT INTO "ledger_entries" VALUES(10,'2026-11-20T00:11:27.153102+00:00','renew','all',NULL,'{"period":2,"reason":"another year","says":"Privacy loss does not renew: what was released in earlier periods stays released.","spent":"1/4"}','0680a589241291b2c62d11a14b09efc1f6591e27f6e3777c7dc268b50df4908f');
CREATE TABLE ledger_people (
	budget TEXT NOT NULL, 
	person TEXT NOT NULL, 
	spent BIGINT NOT NULL, 
	PRIMARY KEY (budget, person)
)
 WITHOUT ROWID

;
INSERT INTO "ledger_people" VALUES('each','ada',0);
INSERT INTO "ledger_people" VALUES('each','grace',25000000000000000);
INSERT INTO "ledger_people" VALUES('each','émile',25000000000000000);
CREATE TABLE ledger_taking_part (
	seq INTEGER NOT NULL, 
	person TEXT NOT NULL, 
	units BIGINT NOT NULL, 
	PRIMARY KEY (seq, person)
)
 WITHOUT ROWID

;
INSERT INTO "ledger_taking_part" VALUES(7,'ada',25000000000000000);
INSERT INTO "ledger_taking_part" VALUES(7,'grace',25000000000000000);
INSERT INTO "ledger_taking_part" VALUES(8,'ada',-25000000000000000);
INSERT INTO "ledger_taking_part" VALUES(8,'grace',-25000000000000000);
INSERT INTO "ledger_taking_part" VALUES(9,'grace',25000000000000000);
INSERT INTO "ledger_taking_part" VALUES(9,'émile',25000000000000000);
CREATE TABLE ledger_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT ledger_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "ledger_version" VALUES('0003');
CREATE TABLE ledger_within (
	budget TEXT NOT NULL, 
	holder TEXT NOT NULL, 
	PRIMARY KEY (budget, holder)
);
INSERT INTO "ledger_within" VALUES('top','top');
INSERT INTO "ledger_within" VALUES('all','all');
INSERT INTO "ledger_within" VALUES('all','top');
INSERT INTO "ledger_within" VALUES('each','each');
CREATE INDEX ledger_entries_by_budget ON ledger_entries (budget, seq);
CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE ON ledger_entries BEGIN SELECT RAISE(ABORT, 'entries of a budget book are never changed'); END;
CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries BEGIN SELECT RAISE(ABORT, 'entries of a budget book are never changed'); END;
CREATE TRIGGER ledger_within_no_update BEFORE UPDATE ON ledger_within BEGIN SELECT RAISE(ABORT, 'entries of a budget book are never changed'); END;
CREATE TRIGGER ledger_within_no_delete BEFORE DELETE ON ledger_within BEGIN SELECT RAISE(ABORT, 'entries of a budget book are never changed'); END;
CREATE TRIGGER ledger_taking_part_no_update BEFORE UPDATE ON ledger_taking_part BEGIN SELECT RAISE(ABORT, 'entries of a budget book are never changed'); END;
CREATE TRIGGER ledger_taking_part_no_delete BEFORE DELETE ON ledger_taking_part BEGIN SELECT RAISE(ABORT, 'entries of a budget book are never changed'); END;
CREATE UNIQUE INDEX ledger_entries_by_key ON ledger_entries ("key", kind);
COMMIT;
